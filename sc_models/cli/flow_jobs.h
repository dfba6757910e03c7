// SPDX-License-Identifier: Apache-2.0
// Runs of `--engine flow`: plans as flows, calibrated by exact runs of the same collectives on the same machine.
//
// Calibration: the first time that a work comes up, fourteen exact runs of it at other sizes (flow/calibration.h), its collectives in the same
//   proportion. Collectives that do not begin together are calibrated each alone. Systems on which that would take long,
//   kMaxCalibrationHops flits x links with 16 MiB, about ten seconds, and those without exact runs are not calibrated, nor are matrices and streams; their error is
//   unmeasured.
// Errors: those of run_plan() and run_flows(); Interrupted, while exact runs are under way.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "collective/plan.h"
#include "engine/machine.h"
#include "flow/calibration.h"
#include "results/results.h"
#include "topology/topology.h"

namespace fredsim {

inline constexpr std::uint64_t kMaxCalibrationHops = 8'000'000;

class FlowJobs {
 public:
  // `machine`: for exact runs; null: there can be none (Topology::flow_only). Both must outlive it.
  FlowJobs(const Topology& topology, Machine* machine, std::uint64_t seed)
      : topology_(topology), machine_(machine), seed_(seed) {}

  // From an SC_THREAD. As run_plan() (engine/plan_run.h), with the result's engine and error.
  RunResult run(const Plan& plan);
  // Cycles by which a plan whose parts begin together takes longer than its flows; none: it is not calibrated.
  std::optional<double> surplus_of(const Plan& plan);

 private:
  // Parts that are calibrated together, none with bytes between pairs or roots of streams.
  using Parts = std::vector<const Part*>;
  using Shape = std::vector<
      std::tuple<Collective, std::string, std::vector<NodeId>, int, int, std::uint64_t>>;
  struct Calibration {
    bool is_measured = false;
    std::vector<Surplus> surplus{};           // by part
    std::vector<CalibrationPoint> checked{};  // whole runs, by the largest size in them
  };
  struct Measured {
    Plan plan;
    RunResult exact;
  };

  const Calibration& calibration_of(const Parts& parts);
  Calibration calibrate(const Parts& parts);
  Measured measure(const Parts& parts, std::uint64_t bytes);
  Plan plan_of(const Parts& parts, std::uint64_t bytes) const;

  const Topology& topology_;
  Machine* machine_;
  std::uint64_t seed_;
  std::map<Shape, Calibration> calibrations_;
};

}  // namespace fredsim
