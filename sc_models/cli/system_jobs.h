// SPDX-License-Identifier: Apache-2.0
// Runs of `--engine flow` on systems (topology/system.h): steps as flows, each calibrated by exact runs on the block of its dimension
// alone, and the error of the whole measured on a smaller system of the same blocks.
//
// Calibration: cli/step_surplus.h. Where a step has no surplus the result's error is unmeasured.
// Error: exact runs of the same collective on all NPUs of the smallest system of the same blocks with kMeasuredNpus NPUs or more
//   (smaller_sizes()), at those of ten sizes between the same limits (64 KiB, 1 and 16 MiB) as the size in question that take no more than kMaxCheckedHops
//   flits x links, else at the largest that do; of the system itself where it is as small. Of groups that are not all NPUs it is unmeasured.
// Errors: those of run_plan(), run_system_flows() and reload_config(); Interrupted, while exact runs are under way.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/step_surplus.h"
#include "collective/system_plan.h"
#include "config/config.h"
#include "engine/machine.h"
#include "flow/calibration.h"
#include "results/results.h"
#include "topology/topology.h"

namespace fredsim {

inline constexpr int kMeasuredNpus = 64;
inline constexpr std::uint64_t kMaxCheckedHops = 1'000'000;

// Sizes by dimension of the smallest system with kMeasuredNpus NPUs, or as many as it has: blocks that are machines keep theirs, the
// largest of the others are halved first, and no ring gets below 4 but to 2.
std::vector<int> smaller_sizes(const Topology& system);

class SystemJobs {
 public:
  // Before the simulation begins: elaborates the machines of the exact runs.
  SystemJobs(const MachineConfig& config, const FabricOptions& options, const std::string& name);

  // From an SC_THREAD. As run_plan() (engine/plan_run.h), with the result's engine and error.
  RunResult run(const SystemPlan& plan);

 private:
  struct Checked {
    std::uint64_t bytes = 0;
    double exact = 0, flow = 0;  // cycles
  };
  struct Surpluses {
    std::vector<double> of_steps{};
    bool is_measured = true;
  };

  static Surpluses surpluses_of(const SystemPlan& plan, StepSurplus& surplus_of);
  std::optional<FlowErrorResult> error_of(const SystemPlan& plan);
  std::optional<Checked> checked(const Part& collective, std::uint64_t bytes, int chunks);

  const MachineConfig& config_;
  const std::uint64_t seed_;
  MachineConfig smaller_;  // the system that errors are measured on
  StepSurplus surplus_;
  std::unique_ptr<StepSurplus> smaller_surplus_{};  // null: none can run
  std::unique_ptr<Machine> smaller_machine_{};
  std::map<std::pair<std::string, std::uint64_t>, std::optional<Checked>> checked_;
};

}  // namespace fredsim
