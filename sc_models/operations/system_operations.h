// SPDX-License-Identifier: Apache-2.0
// Operations on systems (topology/system.h) in terms of the requested collectives: an adapter
// between an issuer and an engine that runs the steps of the plans (systems/system_plan.h).
//
// Parts and ranks in operations, dependencies, labels and reports refer to Plan::collectives. A
// rank is complete when all steps of its NPU in the collective are complete; the first step begins
// when the rank is released, at the part's start. Plans without Plan::collectives are passed
// through unchanged.
// Errors: errors of the engine.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "operations/operation_engine.h"

namespace fredsim {

// Parts of a plan as they were requested.
std::span<const Part> asked_parts(const Plan& plan);

class SystemOperations final : public OperationEngine {
 public:
  // The engine must outlive the object, which sets the engine's callbacks.
  explicit SystemOperations(OperationEngine& steps);
  ~SystemOperations() override;

  OperationHandle issue(std::shared_ptr<const PreparedPlan> plan,
                        const std::vector<std::uint64_t>& starts,
                        const IssueOptions& options) override;
  void release(OperationHandle handle, int part, int rank, std::uint64_t cycle) override;
  bool complete(OperationHandle handle) const override { return steps_.complete(handle); }
  void call_at(std::uint64_t cycle, std::function<void()> callback) override {
    steps_.call_at(cycle, std::move(callback));
  }
  void on_complete(std::function<void(const OperationReport&)> callback) override {
    callbacks_.complete = std::move(callback);
  }
  void on_rank_complete(
      std::function<void(OperationHandle, int part, int rank)> callback) override {
    callbacks_.rank_complete = std::move(callback);
  }
  void wait_all() override { steps_.wait_all(); }
  void finish() override { steps_.finish(); }
  bool stopped() const override { return steps_.stopped(); }
  std::uint64_t cycle() const override { return steps_.cycle(); }
  std::size_t in_flight() const override { return steps_.in_flight(); }
  const OperationTotals& totals() const override { return steps_.totals(); }

 private:
  struct Ranks;
  struct Running {
    std::shared_ptr<const PreparedPlan> plan{};
    const Ranks* ranks = nullptr;
    std::vector<std::vector<int>> left{};  // steps left, by collective and rank
  };

  const Ranks& ranks_of(const std::shared_ptr<const PreparedPlan>& plan);
  std::vector<int> steps_of(const Dependency& dependency) const;
  void complete_step(OperationHandle handle, int part, int rank);
  void complete(const OperationReport& report);

  OperationEngine& steps_;
  OperationCallbacks callbacks_;
  // Ranks by plan; looked up, never iterated.
  std::unordered_map<const PreparedPlan*, std::unique_ptr<Ranks>> known_;
  std::map<OperationHandle, Running> in_flight_;
};

}  // namespace fredsim
