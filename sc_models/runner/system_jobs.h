// SPDX-License-Identifier: Apache-2.0
// Runs of `--engine flow` on systems (topology/system.h): steps as flows, each calibrated by exact runs on the block of its dimension
// alone, and the error of the whole measured on a smaller system of the same blocks.
//
// Calibration: of a system of as many NPUs as a smaller one has, the exact run itself, where it costs no more than kMaxExactSteps (runner/flow_jobs.h).
//   Of others runner/step_surplus.h. Where a step has no surplus of its size the result's error is unmeasured.
// Error: exact runs of the same collective on a smaller system (runner/smaller_system.h), at those of ten sizes between the same limits (64 KiB, 1
//   and 16 MiB) as the size in question that take no more than kMaxCheckedHops, else at the largest that do; of groups that do the
//   same, of the first. Of works of different collectives it is unmeasured.
// Errors: those of run_plan(), run_system_flows() and reload_config(); Interrupted, while exact runs are under way.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "config/config.h"
#include "flow/flow_traffic.h"
#include "results/results.h"
#include "runner/smaller_system.h"
#include "runner/step_surplus.h"
#include "systems/system_plan.h"

namespace fredsim {

class SystemJobs {
 public:
  // Before the simulation begins: elaborates the machines of the exact runs.
  SystemJobs(const MachineConfig& config, const FabricOptions& options, const std::string& name);

  // From an SC_THREAD. As run_plan() (engine/plan_run.h), with the result's engine and error.
  RunResult run(const SystemPlan& plan);

 private:
  bool runs_exactly(const SystemPlan& plan, const FlowTraffic& traffic) const;
  std::optional<FlowErrorResult> error_of(const SystemPlan& plan);

  const MachineConfig& config_;
  const std::uint64_t seed_;
  StepSurplus surplus_;
  SmallerSystem smaller_;  // that errors are measured on
};

}  // namespace fredsim
