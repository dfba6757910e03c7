// SPDX-License-Identifier: Apache-2.0
// Operations of systems (topology/system.h) as whoever issues them knows them, by the collectives
// that were asked for: between him and an engine that knows the steps of their plans
// (systems/system_plan.h).
//
// Parts and ranks, of operations, dependencies, labels and reports, are those of Plan::collectives.
//   A rank is complete when all steps that its NPU has in the collective are; the first of them
//   begins when it is released, at the part's start.
// Plans without Plan::collectives pass as they are.
// Errors: those of the engine.
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

// Parts as they were asked for.
std::span<const Part> asked_parts(const Plan& plan);

class SystemOperations final : public OperationEngine {
 public:
  // The engine outlives it, and has its callbacks.
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
  std::size_t under_way() const override { return steps_.under_way(); }
  const OperationTotals& totals() const override { return steps_.totals(); }

 private:
  struct Ranks;
  struct UnderWay {
    std::shared_ptr<const PreparedPlan> plan{};
    const Ranks* ranks = nullptr;
    std::vector<std::vector<int>> left{};  // by collective and rank: steps
  };

  const Ranks& ranks_of(const std::shared_ptr<const PreparedPlan>& plan);
  std::vector<int> steps_of(const Dependency& dependency) const;
  void complete_step(OperationHandle handle, int part, int rank);
  void complete(const OperationReport& report);

  OperationEngine& steps_;
  OperationCallbacks callbacks_;
  // Looked up by plan, never gone through.
  std::unordered_map<const PreparedPlan*, std::unique_ptr<Ranks>> known_;
  std::map<OperationHandle, UnderWay> under_way_;
};

}  // namespace fredsim
