// SPDX-License-Identifier: Apache-2.0
// Tally of the operations of a run's first round (RunSteps::first_issues), for forecasts of the
// remaining time: later rounds are often replayed.
// Internal to the communicator.
#pragma once

#include <cstdint>
#include <map>

#include "operations/operation_engine.h"
#include "operations/prepared_plan.h"

namespace fredsim {

class IssueTally {
 public:
  // Adds `issues` of the plan to the first round; all issues of other plans belong to it.
  void expect(const PreparedPlan& plan, std::uint64_t issues) {
    plans_[&plan] += issues;
    total_ += issues * result_bytes(plan);
  }
  void issue(OperationHandle handle, const PreparedPlan& plan) {
    const auto found = plans_.find(&plan);
    if (found != plans_.end() && found->second == 0) return;
    if (found != plans_.end()) --found->second;
    open_[handle] = result_bytes(plan);
  }
  void complete(OperationHandle handle) {
    const auto found = open_.find(handle);
    if (found == open_.end()) return;
    bytes_ += found->second;
    open_.erase(found);
  }
  // an incomplete operation of the first round
  bool is_first(OperationHandle handle) const { return open_.contains(handle); }
  std::uint64_t bytes() const { return bytes_; }  // delivered by complete operations
  std::uint64_t total() const { return total_; }  // bytes of all expected operations

 private:
  std::map<const PreparedPlan*, std::uint64_t> plans_;  // issues to come
  std::map<OperationHandle, std::uint64_t> open_;       // bytes of its results
  std::uint64_t bytes_ = 0, total_ = 0;
};

}  // namespace fredsim
