// SPDX-License-Identifier: Apache-2.0
// Surplus of exact runs over flows (flow/calibration.h) on one machine, of a shape at a size: of
// works whose collectives are under way together, of operations each by itself, and of the steps of
// a system's plans.
//
// A surplus is that of an exact run of this very shape and size where it costs little, else of
// smaller ones, carried on; each shape is measured once. A machine has it of its own runs
// (runner/detail/machine_calibration.h), a system of its blocks
// (runner/detail/system_calibration.h).
// Errors: those of exact runs; Interrupted, while they are under way.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "engine/work_run.h"
#include "flow/operation_plan.h"
#include "operations/prepared_plan.h"
#include "plan/plan.h"
#include "results/results.h"
#include "systems/system_plan.h"

namespace fredsim {

// A work on a machine: without order, the same by the steps of a system, or with order.
using AnyPlan = std::variant<Plan, SystemPlan, WorkPlan>;

// Surplus of an operation by itself.
struct Surplus {
  bool is_measured = false;
  std::vector<std::vector<RankSurplus>> ranks{};  // by part; of systems none
  std::vector<double> steps{};                    // cycles by step, on systems
  double error_percent = 0;         // percent of the time that the operation takes alone
  std::uint64_t checked_bytes = 0;  // size at which the error was found, of the largest part
};

class FlowCalibration {
 public:
  FlowCalibration() = default;
  FlowCalibration(const FlowCalibration&) = delete;
  FlowCalibration& operator=(const FlowCalibration&) = delete;
  virtual ~FlowCalibration() = default;

  // From an SC_THREAD. Surpluses of operations, in the order of the plans.
  virtual std::vector<Surplus> of(std::span<const std::shared_ptr<const PreparedPlan>> plans) = 0;
  // Machine that errors are found on, as a result says it.
  virtual std::string measured_on() const = 0;
  // From an SC_THREAD. As run_plan() (engine/plan_run.h), with the result's engine and error.
  // `work` has no order.
  virtual RunResult run(const AnyPlan& work) = 0;
};

}  // namespace fredsim
