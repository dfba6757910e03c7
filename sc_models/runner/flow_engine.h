// SPDX-License-Identifier: Apache-2.0
// Runs of `--engine flow` with operations in sequence: works with order, training, inference.
//
// Error of a result: the stated error covers operations in isolation (runner/calibration.h), not
//   the run as a whole: their mean, weighted by the time that they are in progress, and their
//   maximum, both increased by the margin of whole runs (ErrorMargin). Unmeasured if any operation
//   is unmeasured.
// Errors: errors of FlowOperations and FlowCalibration.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/run_engine.h"
#include "flow/flow_operations.h"
#include "runner/calibration.h"
#include "runner/flow_results.h"

namespace fredsim {

struct FlowEngineOptions {
  std::uint64_t seed = 1;
  const std::atomic<bool>* stop = nullptr;  // see FlowOperations
  FlowCalibration* calibration = nullptr;   // null: no calibration offsets, no error
  ErrorMargin margin = kWorkMargin;         // added to the measured error
  FlowLifts lifts{};
};

class FlowEngine final : public RunEngine {
 public:
  // `plans`: all plans that the run will issue. With a calibration, called from an SC_THREAD:
  // measures the calibration offsets that are not known yet. Topology and calibration must outlive
  // the engine.
  FlowEngine(const Topology& topology, FlowOperations::Plans plans,
             const FlowEngineOptions& options = {});

  const Topology& topology() const override { return topology_; }
  std::uint64_t seed() const override { return options_.seed; }
  OperationEngine& operations() override { return operations_; }
  const std::vector<std::shared_ptr<const PreparedPlan>>& plans() const override { return plans_; }
  RunResult run(const RunSteps& steps,
                const std::function<void(const Progress&)>& on_progress) override;
  void fill_operations(RunResult& result) const override;

 private:
  std::optional<FlowErrorResult> error() const;

  const Topology& topology_;
  const std::vector<std::shared_ptr<const PreparedPlan>> plans_;
  const FlowEngineOptions options_;
  const std::vector<CalibrationOffset> offsets_;  // by plan
  FlowOperations operations_;
};

}  // namespace fredsim
