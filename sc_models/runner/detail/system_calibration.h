// SPDX-License-Identifier: Apache-2.0
// Surplus of exact runs over flows (runner/calibration.h) on a system (topology/system.h): of each
// step that of an exact run on its block alone (runner/detail/step_surplus.h). Errors are found on
// a smaller system of the same blocks.
//
// Smaller system: the smallest of the same blocks with kMeasuredNpus NPUs, or as many as the large
//   one has: blocks that are machines keep their sizes, the largest of the others are halved first,
//   and no ring gets below 4 but to 2. Collectives there are of as many NPUs in each dimension as
//   on the large one, or all that there are, at the lowest places.
// Works: of a system of as many NPUs as the smaller one, the exact run itself, where it costs no
//   more than kMaxExactSteps. Error: exact runs of the same collective on the smaller system, at
//   those of ten sizes between the same limits (64 KiB, 1 and 16 MiB) as the size in question that
//   take no more than kMaxCheckedHops, else at the largest that do; of groups that do the same, of
//   the first. Of works of different collectives it is unmeasured.
// Operations by themselves: error of an exact run of the first collective there, at its size,
//   halved until the run takes no more than kMaxCheckedHops. Unmeasured where a step has no surplus
//   of its size, or that system cannot run exactly.
// Errors: those of run_plan(), run_flows(), plan_system() and reload_config(); Interrupted, while
//   exact runs are under way.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/config.h"
#include "engine/machine.h"
#include "results/results.h"
#include "runner/calibration.h"
#include "runner/detail/step_surplus.h"
#include "systems/system_plan.h"
#include "topology/topology.h"

namespace fredsim {

inline constexpr int kMeasuredNpus = 64;
inline constexpr std::uint64_t kMaxCheckedHops = 1'000'000;  // flits x links of an exact run

// By dimension, of the smaller system.
std::vector<int> smaller_sizes(const Topology& system);

class SystemCalibration final : public FlowCalibration {
 public:
  // Before the simulation begins: elaborates the machines of the exact runs. `config` must outlive
  // it.
  SystemCalibration(const MachineConfig& config, const FabricOptions& options,
                    const std::string& name);
  ~SystemCalibration() override;

  std::vector<Surplus> of(std::span<const std::shared_ptr<const PreparedPlan>> plans) override;
  std::string measured_on() const override;
  RunResult run(const AnyPlan& work) override;

 private:
  class SmallerSystem;

  std::optional<FlowErrorResult> error_of(const SystemPlan& plan);

  const MachineConfig& config_;
  const std::uint64_t seed_;
  StepSurplus surplus_;
  const std::unique_ptr<SmallerSystem> smaller_;
};

}  // namespace fredsim
