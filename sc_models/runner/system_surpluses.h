// SPDX-License-Identifier: Apache-2.0
// Surplus of exact runs over flows of operations on a system (topology/system.h): of each step that of an exact run on its block
// alone (runner/step_surplus.h).
//
// Error: of an exact run of the operation's first collective by itself on a smaller system (runner/smaller_system.h), at its size, halved until the
//   run takes no more than kMaxCheckedHops. Unmeasured where a step has no surplus, or that system cannot run exactly.
// Errors: those of exact runs; Interrupted, while they are under way.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "config/config.h"
#include "runner/operation_surplus.h"
#include "runner/smaller_system.h"
#include "runner/step_surplus.h"

namespace fredsim {

class SystemSurpluses final : public OperationSurpluses {
 public:
  // Before the simulation begins: elaborates the machines of the exact runs. `config` must outlive it.
  SystemSurpluses(const MachineConfig& config, const FabricOptions& options,
                  const std::string& name);

  std::vector<OperationSurplus> of(
      std::span<const std::shared_ptr<const PreparedPlan>> plans) override;
  std::string measured_on() const override { return smaller_.name() + surplus_.extrapolations(); }

 private:
  OperationSurplus surplus_of(const SystemPlan& plan);

  StepSurplus surplus_;
  SmallerSystem smaller_;
};

}  // namespace fredsim
