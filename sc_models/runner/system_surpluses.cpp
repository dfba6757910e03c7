// SPDX-License-Identifier: Apache-2.0
#include "runner/system_surpluses.h"

#include <utility>

namespace fredsim {

SystemSurpluses::SystemSurpluses(const MachineConfig& config, const FabricOptions& options,
                                 const std::string& name)
    : surplus_(config, options, name), smaller_(config, options, name + "_smaller") {}

std::vector<OperationSurplus> SystemSurpluses::of(
    std::span<const std::shared_ptr<const PreparedPlan>> plans) {
  std::vector<OperationSurplus> surpluses;
  surpluses.reserve(plans.size());
  for (const auto& plan : plans) surpluses.push_back(surplus_of(*plan->system));
  return surpluses;
}

OperationSurplus SystemSurpluses::surplus_of(const SystemPlan& plan) {
  StepSurplus::OfSteps steps = surplus_.of(plan);
  OperationSurplus surplus{.is_measured = steps.is_measured, .steps = std::move(steps.cycles)};
  if (!surplus.is_measured) return surplus;
  const auto checked = smaller_.check_halved(plan.collectives.front(), plan.chunking);
  surplus.is_measured = checked.has_value();
  if (checked) {
    surplus.error_percent = checked->percent();
    surplus.checked_bytes = checked->bytes;
  }
  return surplus;
}

}  // namespace fredsim
