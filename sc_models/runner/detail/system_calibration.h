// SPDX-License-Identifier: Apache-2.0
// Calibration offsets of flows (runner/calibration.h) on a system (topology/system.h): each step is
// measured by an exact run on its block alone (runner/detail/step_offset.h). Errors are measured
// on a smaller system of the same blocks.
//
// Smaller system: the smallest system of the same blocks with at least kMeasuredNpus NPUs, or all
//   NPUs of a smaller original. Blocks that are machines keep their sizes; of the remaining blocks
//   the largest is halved first, and no ring gets below 4 except to 2. Collectives there have as
//   many NPUs in each dimension as on the large system, or all available ones, at the lowest
//   places.
// Works: on a system no larger than the smaller one, the exact run itself is the result if it costs
//   no more than kMaxExactSteps. Error: measured by exact runs of the same collective on the
//   smaller system. There are ten sizes; the ones run lie between the same limits (64 KiB, 1 and 16
//   MiB) as the size of the work and take no more than kMaxCheckedHops, or else are the largest
//   sizes that do. Of groups with equal work only the first is run. The error is unmeasured for
//   works of different collectives.
// Single operations: error of an exact run of the first collective there, at its size, halved until
//   the run takes no more than kMaxCheckedHops. Unmeasured if a step has no offset of its size, or
//   the smaller system cannot run exactly.
// Errors: errors of run_plan(), run_flows(), plan_system() and reload_config(); Interrupted, while
//   exact runs are in progress.
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
#include "runner/detail/step_offset.h"
#include "systems/system_plan.h"
#include "topology/topology.h"

namespace fredsim {

inline constexpr int kMeasuredNpus = 64;
inline constexpr std::uint64_t kMaxCheckedHops = 1'000'000;  // flits x links of an exact run

// Sizes of the smaller system, by dimension.
std::vector<int> smaller_sizes(const Topology& system);

class SystemCalibration final : public FlowCalibration {
 public:
  // Elaborates the machines of the exact runs; called before the simulation begins. `config` must
  // outlive the object.
  SystemCalibration(const MachineConfig& config, const FabricOptions& options,
                    const std::string& name);
  ~SystemCalibration() override;

  std::vector<CalibrationOffset> of(
      std::span<const std::shared_ptr<const PreparedPlan>> plans) override;
  std::string measured_on() const override;
  RunResult run(const AnyPlan& work) override;

 private:
  class SmallerSystem;

  std::optional<FlowErrorResult> error_of(const SystemPlan& plan);

  const MachineConfig& config_;
  const std::uint64_t seed_;
  StepOffset offset_;
  const std::unique_ptr<SmallerSystem> smaller_;
};

}  // namespace fredsim
