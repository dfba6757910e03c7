// SPDX-License-Identifier: Apache-2.0
// Which operations are of the first round of a run (RunSteps::first_issues), for forecasts of the time that is left: those of later
// rounds are often replayed.
// Internal to the communicator.
#pragma once

#include <cstdint>
#include <map>

#include "operations/operation_engine.h"
#include "operations/prepared_plan.h"

namespace fredsim {

class IssueTally {
 public:
  // So many more issues of the plan are of the first round; of others all are.
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
  bool is_first(OperationHandle handle) const { return open_.contains(handle); }  // not complete
  std::uint64_t bytes() const { return bytes_; }  // delivered by those that are complete
  std::uint64_t total() const { return total_; }  // by all that are expected

 private:
  std::map<const PreparedPlan*, std::uint64_t> plans_;  // issues to come
  std::map<OperationHandle, std::uint64_t> open_;       // bytes of its results
  std::uint64_t bytes_ = 0, total_ = 0;
};

}  // namespace fredsim
