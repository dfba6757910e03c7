// SPDX-License-Identifier: Apache-2.0
// Surplus of exact runs over flows of operations on a system (topology/system.h): of each step that of an exact run on its block
// alone (cli/step_surplus.h), for all of its ranks.
//
// Error: of an exact run of the operation's first collective by itself, on the smallest system of the same blocks with kMeasuredNpus NPUs or more
//   (cli/system_jobs.h), by as many NPUs in each dimension as the operation has, or that system; at its size, halved until the run takes no more than
//   kMaxCheckedHops flits x links. Unmeasured where a step has no surplus, or that system cannot run exactly.
// Errors: those of exact runs; Interrupted, while they are under way.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "cli/operation_surplus.h"
#include "cli/step_surplus.h"
#include "config/config.h"
#include "engine/machine.h"

namespace fredsim {

class SystemSurpluses final : public OperationSurpluses {
 public:
  // Before the simulation begins: elaborates the machines of the exact runs. `config` must outlive it.
  SystemSurpluses(const MachineConfig& config, const FabricOptions& options,
                  const std::string& name);

  std::vector<OperationSurplus> of(
      std::span<const std::shared_ptr<const PreparedPlan>> plans) override;
  std::string measured_on() const override;

 private:
  struct Error {
    double percent = 0;
    std::uint64_t bytes = 0;
  };
  // Collective, algorithm, bytes, virtual channel and, by dimension, places of the members and of the root.
  using Shape = std::tuple<Collective, std::string, std::uint64_t, int, std::vector<int>, int>;

  OperationSurplus surplus_of(const PreparedPlan& plan);
  std::optional<Error> error_of(const Part& collective);
  std::optional<Error> measured(const CollectiveSpec& spec);

  const MachineConfig& config_;
  MachineConfig smaller_;  // the system that errors are measured on
  StepSurplus surplus_;
  std::unique_ptr<StepSurplus> smaller_surplus_{};  // null: it cannot run exactly
  std::unique_ptr<Machine> smaller_machine_{};
  std::map<Shape, std::optional<Error>> known_;
};

}  // namespace fredsim
