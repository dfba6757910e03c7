// SPDX-License-Identifier: Apache-2.0
// Runs of `--engine flow` whose operations come after each other: works with order, training,
// inference.
//
// Error of a result: of the whole run none was measured. It is that of its operations, each alone
//   (runner/calibration.h), the mean, weighted by the time that they were under way, and the
//   largest; and as much more as whole runs have beyond it (ErrorMargin). Unmeasured, where any
//   operation is.
// Errors: those of FlowOperations and FlowCalibration.
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
  const std::atomic<bool>* stop = nullptr;  // as of FlowOperations
  FlowCalibration* calibration = nullptr;   // null: no surplus, and no error
  ErrorMargin margin = kWorkMargin;         // stated beyond what is measured
  FlowLifts lifts{};
};

class FlowEngine final : public RunEngine {
 public:
  // `plans`: all that the run will issue. With a calibration from an SC_THREAD: takes the surplus
  // of what is not known yet. Topology and calibration must outlive it.
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
  const std::vector<Surplus> surpluses_;  // by plan
  FlowOperations operations_;
};

}  // namespace fredsim
