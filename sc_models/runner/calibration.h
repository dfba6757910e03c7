// SPDX-License-Identifier: Apache-2.0
// Calibration offsets (flow/calibration.h) on one machine: the time by which exact runs exceed
// flows, for a shape at a size. Shapes are works whose collectives overlap, single operations, and
// steps of a system's plans.
//
// An offset is measured by an exact run of this shape and size if the run is cheap, else
// extrapolated from smaller sizes; each shape is measured once. Machines are measured by runs of
// their own (runner/detail/machine_calibration.h), systems by runs of their blocks
// (runner/detail/system_calibration.h).
// Errors: errors of exact runs; Interrupted, while exact runs are in progress.
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

// A work on a machine: without order, without order as steps of a system, or with order.
using AnyPlan = std::variant<Plan, SystemPlan, WorkPlan>;

// Calibration offset of a single operation.
struct CalibrationOffset {
  bool is_measured = false;
  std::vector<std::vector<RankOffset>> ranks{};  // by part; empty for systems
  std::vector<double> steps{};                   // cycles by step, on systems
  double error_percent = 0;                      // relative to the time of the operation alone
  std::uint64_t checked_bytes = 0;  // size of the largest part at which the error was measured
};

class FlowCalibration {
 public:
  FlowCalibration() = default;
  FlowCalibration(const FlowCalibration&) = delete;
  FlowCalibration& operator=(const FlowCalibration&) = delete;
  virtual ~FlowCalibration() = default;

  // Calibration offsets of operations, in the order of the plans. Called from an SC_THREAD.
  virtual std::vector<CalibrationOffset> of(
      std::span<const std::shared_ptr<const PreparedPlan>> plans) = 0;
  // Machine that errors are measured on, in the form of a result.
  virtual std::string measured_on() const = 0;
  // Runs a work without order like run_plan() (engine/plan_run.h); the result has its engine and
  // error. Called from an SC_THREAD.
  virtual RunResult run(const AnyPlan& work) = 0;
};

}  // namespace fredsim
