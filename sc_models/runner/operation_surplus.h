// SPDX-License-Identifier: Apache-2.0
// Surplus of exact runs over flows (flow/calibration.h), by operation of a work or a training run.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "flow/flow_operations.h"
#include "operations/prepared_plan.h"

namespace fredsim {

struct OperationSurplus {
  bool is_measured = false;
  std::vector<std::vector<RankSurplus>> ranks{};  // by part; of systems none
  std::vector<double> steps{};                    // cycles by step, on systems
  double error_percent = 0;         // percent of the time that the operation takes alone
  std::uint64_t checked_bytes = 0;  // size at which the error was found, of the largest part
};

class OperationSurpluses {
 public:
  OperationSurpluses() = default;
  OperationSurpluses(const OperationSurpluses&) = delete;
  OperationSurpluses& operator=(const OperationSurpluses&) = delete;
  virtual ~OperationSurpluses() = default;

  // From an SC_THREAD. In the order of the plans.
  virtual std::vector<OperationSurplus> of(
      std::span<const std::shared_ptr<const PreparedPlan>> plans) = 0;
  // Machine that errors are found on, as a result says it.
  virtual std::string measured_on() const = 0;
};

}  // namespace fredsim
