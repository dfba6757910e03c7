// SPDX-License-Identifier: Apache-2.0
#include "engine/memo/current_trajectory.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace fredsim {

void CurrentTrajectory::add(Known known) {
  numbers.emplace(known.handle, static_cast<int>(operations.size()));
  operations.push_back(std::move(known));
  ++in_flight;
}

bool CurrentTrajectory::is_complete(OperationHandle handle) const {
  const auto found = numbers.find(handle);
  return found == numbers.end() || operations[found->second].complete;
}

bool CurrentTrajectory::is_complete(OperationHandle handle, NodeId npu) const {
  if (is_complete(handle)) return true;
  const Known& of = known(handle);
  const std::vector<Part>& parts = of.plan->plan.parts;
  const auto is_here = [&](const CollectiveJob::RankOfPart& at) {
    return parts[at.part].members[at.rank] == npu;
  };
  std::ptrdiff_t ranks = 0;
  for (const Part& part : parts) ranks += std::ranges::count(part.members, npu);
  return std::ranges::count_if(of.done, is_here) == ranks;
}

bool CurrentTrajectory::is_at_beginning() const {
  return state != nullptr && node == &state->root && events == 0;
}

TrajectoryCounts count_all(OperationScheduler& scheduler) {
  const OperationTotals& totals = scheduler.totals();
  TrajectoryCounts counts = count_machine(scheduler.machine());
  counts.rows_loaded = totals.rows_loaded;
  counts.rows_found = totals.rows_found;
  counts.rows_evicted = totals.rows_evicted;
  counts.words = scheduler.loader().words();
  return counts;
}

void fail_replay(const char* what) {
  throw std::logic_error(
      fmt::format("replay of operations: {}; a state leaves something out", what));
}

}  // namespace fredsim
