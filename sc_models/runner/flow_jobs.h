// SPDX-License-Identifier: Apache-2.0
// Runs of `--engine flow`: plans as flows, calibrated by exact runs of the same collectives on the same machine.
//
// Calibration: by a file (flow/calibrator.h), its collectives in the same proportion, with their starts. Else the exact
//   run itself is taken, where it costs no more than kMaxExactSteps, about five seconds: any other calibration of one size costs more.
//   A larger one is taken, too, if it repeats itself soon: a third of these steps is tried, once for works that differ in size alone.
//   Others have the surplus of smaller sizes of the same work, with its slope (flow/calibrator.h), of each collective alone where they do
//   not begin together; matrices, streams and systems without exact runs have none. Their error is unmeasured.
// Errors: those of run_plan() and run_flows(); Interrupted, while exact runs are under way.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "engine/machine.h"
#include "flow/calibrator.h"
#include "plan/plan.h"
#include "results/results.h"
#include "topology/topology.h"

namespace fredsim {

// A step takes 0.1 to 0.25 microseconds.
inline constexpr double kMaxExactSteps = 24e6;

// Exact runs on a machine, from an SC_THREAD.
Calibrator::ExactRun exact_run_on(Machine& machine);

class FlowJobs {
 public:
  using Parts = std::vector<const Part*>;

  // `machine`: for exact runs; null: there can be none (Topology::flow_only). Both must outlive it. `known`: calibrations of a file.
  FlowJobs(const Topology& topology, Machine* machine, std::uint64_t seed,
           const Calibrator::Calibrations& known = {});

  // From an SC_THREAD. As run_plan() (engine/plan_run.h), with the result's engine and error.
  RunResult run(const Plan& plan);
  // Cycles by which a plan whose parts begin together takes longer than its flows.
  struct Surplus {
    double cycles = 0;
    bool is_measured = false;  // by a run of its size
  };
  Surplus surplus_of(const Plan& plan);

 private:
  // None: it costs more than is allowed.
  std::optional<RunResult> exact_run(const Plan& plan);
  std::vector<double> surpluses(const Parts& parts);
  bool has_run(const CalibratedWork& work, const Parts& parts) const;
  std::optional<FlowErrorResult> error_of(const Parts& parts) const;

  const Topology& topology_;
  Machine* const machine_;
  std::uint64_t seed_;
  Calibrator calibrator_;
  std::set<CalibratedWork> too_long_;  // tried, in vain
};

}  // namespace fredsim
