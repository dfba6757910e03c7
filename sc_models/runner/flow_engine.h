// SPDX-License-Identifier: Apache-2.0
// Runs of `--engine flow` whose operations come after each other: works with order, training, inference.
//
// Error of a result: of the whole run none was measured. It is that of its operations, each alone (runner/operation_surplus.h), the mean,
//   weighted by the time that they were under way, and the largest; and as much more as whole runs have beyond it (runner/stated_error.h).
//   Unmeasured, where any operation is.
// Errors: those of FlowOperations and OperationSurpluses.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/run_engine.h"
#include "flow/flow_operations.h"
#include "runner/operation_surplus.h"
#include "runner/stated_error.h"

namespace fredsim {

class FlowEngine final : public RunEngine {
 public:
  // From an SC_THREAD: takes the surplus of what is not known yet. `plans`: all that the run will issue.
  // `stop`: as of FlowOperations. Topology and surpluses must outlive it.
  FlowEngine(const Topology& topology, std::uint64_t seed, const std::atomic<bool>* stop,
             OperationSurpluses& surpluses,
             std::span<const std::shared_ptr<const PreparedPlan>> plans);
  // Surpluses that are known, by plan.
  FlowEngine(const Topology& topology, std::uint64_t seed, const std::atomic<bool>* stop,
             std::span<const std::shared_ptr<const PreparedPlan>> plans,
             std::vector<OperationSurplus> surpluses, const FlowLifts& lifts = {});

  // Margin that is stated beyond what is measured; without it that of works.
  void set_margin(const ErrorMargin& margin) { margin_ = margin; }
  const Topology& topology() const override { return topology_; }
  std::uint64_t seed() const override { return seed_; }
  OperationEngine& operations() override { return operations_; }
  const std::vector<std::shared_ptr<const PreparedPlan>>& plans() const override { return plans_; }
  RunResult run(const RunSteps& steps,
                const std::function<void(const Progress&)>& on_progress) override;
  void fill_operations(RunResult& result) const override;

 private:
  FlowEngine(const Topology& topology, std::uint64_t seed, const std::atomic<bool>* stop,
             std::span<const std::shared_ptr<const PreparedPlan>> plans,
             std::vector<OperationSurplus> surpluses, std::string measured_on,
             const FlowLifts& lifts = {});
  std::optional<FlowErrorResult> error() const;

  const Topology& topology_;
  const std::uint64_t seed_;
  const std::vector<std::shared_ptr<const PreparedPlan>> plans_;
  const std::string measured_on_;
  const std::vector<OperationSurplus> surpluses_;  // by plan
  ErrorMargin margin_ = kWorkMargin;
  FlowOperations operations_;
};

}  // namespace fredsim
