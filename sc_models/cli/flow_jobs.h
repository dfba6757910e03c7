// SPDX-License-Identifier: Apache-2.0
// Runs of `--engine flow`: plans as flows, calibrated by exact runs of the same collectives on the same machine.
//
// Calibration: from a file, or the first time that a work comes up at about such a size by exact runs of it (flow/calibrator.h), its
//   collectives in the same proportion, with their starts. Works whose collectives wait for others are calibrated each collective alone,
//   and so are those that do not begin together where all of them are too much. Sizes for which that would
//   take long, kMaxCalibrationSteps (flow/calibrator.h), about ten seconds, are calibrated by a file alone, matrices, streams
//   and systems without exact runs not at all; their error is unmeasured.
// Errors: those of run_plan() and run_flows(); Interrupted, while exact runs are under way.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "collective/plan.h"
#include "engine/machine.h"
#include "flow/calibrator.h"
#include "results/results.h"
#include "topology/topology.h"

namespace fredsim {

// A step takes 0.1 to 0.25 microseconds.
inline constexpr double kMaxCalibrationSteps = 48e6;

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
  // Cycles by which a plan whose parts begin together takes longer than its flows; none: it is not calibrated.
  std::optional<double> surplus_of(const Plan& plan);

 private:
  struct Measured {
    bool is_known = false;          // an error was measured
    std::vector<double> surplus{};  // by part
    FlowErrorResult error{};
  };
  Measured measure(std::span<const Parts> calibrated);

  const Topology& topology_;
  std::uint64_t seed_;
  Calibrator calibrator_;
};

}  // namespace fredsim
