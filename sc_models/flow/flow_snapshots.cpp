// SPDX-License-Identifier: Apache-2.0
// Snapshots of FlowOperations while only repeats are in flight, and jumps to them.
#include <algorithm>
#include <iterator>
#include <limits>

#include "flow/flow_operations.h"
#include "flow/repeat_memo.h"

namespace fredsim {

std::unique_ptr<FlowOperation> FlowOperation::copy(
    OperationHandle number, std::shared_ptr<OperationRepeat> of_repeat) const {
  auto copied = std::make_unique<FlowOperation>(number, flow, 0, IssueOptions{},
                                                std::vector<std::uint64_t>{}, std::move(of_repeat));
  copied->copy_stages(*this);
  copied->granted = granted;
  copied->trees = trees;
  copied->ready = ready;
  copied->ready_in = ready_in;
  copied->ranks = ranks;
  copied->parts = parts;
  return copied;
}

// Later issues of repeats depend on nothing, and nothing depends on them.
bool FlowOperations::has_only_repeats() const {
  const auto is_at_end = [](const auto& repeat) {
    return repeat.second->issued == repeat.second->times;
  };
  const auto is_independent = [](const auto& operation) {
    return operation.second->repeat != nullptr && operation.second->is_last();
  };
  return system_ == nullptr && std::ranges::none_of(repeats_, is_at_end) &&
         std::ranges::all_of(operations_, is_independent);
}

RepeatPoint FlowOperations::repeat_point(RepeatCounts counts) const {
  RepeatPoint point{
      .counts = std::move(counts), .next = next_, .grants = grants_, .flows = simulation_.flows()};
  for (const auto& [handle, repeat] : repeats_)
    for (const auto& part : repeat->left) std::ranges::copy(part, std::back_inserter(point.left));
  return point;
}

std::shared_ptr<const RepeatSnapshot> FlowOperations::snapshot(const RepeatPoint& at) const {
  auto snapshot = std::make_shared<RepeatSnapshot>();
  const std::uint64_t now = cycle();
  snapshot->at = at;
  snapshot->simulation = simulation_.state();
  snapshot->turns = turns_.users();
  for (const auto& [handle, operation] : operations_) {
    const auto of = repeats_.find(operation->repeat->handle);
    snapshot->operations.push_back({operation->copy(handle, nullptr),
                                    static_cast<std::size_t>(std::distance(repeats_.begin(), of))});
  }
  for (const FlowOperation* const operation : granted_)
    snapshot->granted.push_back(operation->handle);
  for (const Queue& queue : queues_)
    snapshot->queues.emplace_back(queue.operations.begin(), queue.operations.end());
  for (const auto& [flow, moving] : moving_)
    snapshot->moving.push_back(
        {flow, moving.operation->handle, moving.tree, moving.is_first, moving.is_bundle});
  for (const auto& [end_cycle, ends] : ends_)
    for (const End& end : ends)
      snapshot->ends.push_back({end_cycle - now, end.granted, end.handle, end.part, end.rank});
  for (const std::uint64_t wake : wakes_) snapshot->wakes.push_back(wake - now);
  return snapshot;
}

// True if no repeat has its last issue, and no external call comes, before the snapshot. So no rank is
// done by then.
bool FlowOperations::may_jump(const RepeatPoint& from, const RepeatPoint& to) const {
  const RepeatCounts period = to.counts.since(from.counts);
  if (!calls_.empty() && cycle() + period.cycle >= *calls_.begin()) return false;
  std::size_t r = 0;
  return std::ranges::all_of(repeats_, [&](const auto& of_handle) {
    const OperationRepeat& repeat = *of_handle.second;
    return repeat.issued + period.issued[r++] < repeat.times;
  });
}

// Snapshot of an earlier trajectory at which this one arrives, too; null: none.
const RepeatSnapshot* FlowOperations::jump_target(const RepeatMemo::Entry& from) const {
  if (from.trajectory == nullptr || from.at.counts.of_plans.size() != plans_in_order_.size())
    return nullptr;
  const auto& snapshots = from.trajectory->snapshots;
  for (auto at = snapshots.rbegin(); at != snapshots.rend() && at->first > from.number; ++at) {
    const RepeatSnapshot& to = *at->second;
    const bool is_later = std::ranges::all_of(to.operations, [&](const auto& operation) {
      return operation.copy->handle >= from.at.next;
    });
    if (is_later && may_jump(from.at, to.at)) return &to;
  }
  return nullptr;
}

void FlowOperations::jump(const RepeatPoint& from, const RepeatSnapshot& to) {
  const RepeatCounts period = to.at.counts.since(from.counts);
  const std::uint64_t later = cycle() - from.counts.cycle;
  const OperationHandle handles = next_ - from.next;
  const int grants = grants_ - from.grants;
  const FlowSimulation::Flow flows = simulation_.flows() - from.flows;
  simulation_.jump(period.cycle, to.simulation, flows);
  turns_.restore(to.turns);
  count_skipped(1, period);
  next_ = to.at.next + handles;
  grants_ = to.at.grants + grants;
  std::vector<std::shared_ptr<OperationRepeat>> repeats;
  std::size_t l = 0;
  for (const auto& [handle, repeat] : repeats_) {
    repeats.push_back(repeat);
    for (auto& part : repeat->left) {
      for (std::uint64_t& left : part) {
        left -= from.left[l] - to.at.left[l];
        ++l;
      }
    }
  }
  operations_.clear();
  for (const RepeatSnapshot::Operation& operation : to.operations) {
    auto copy = operation.copy->copy(operation.copy->handle + handles, repeats[operation.repeat]);
    copy->granted += grants;
    copy->shift(later);
    operations_.emplace(copy->handle, std::move(copy));
  }
  granted_.clear();
  for (const OperationHandle handle : to.granted)
    granted_.push_back(operations_.at(handle + handles).get());
  for (std::size_t q = 0; q < queues_.size(); ++q) {
    queues_[q].operations.assign(to.queues[q].begin(), to.queues[q].end());
    for (auto& [handle, trees] : queues_[q].operations) handle += handles;
  }
  moving_.clear();
  for (const RepeatSnapshot::Moving& moving : to.moving)
    moving_.emplace(moving.flow + flows,
                    Moving{.operation = operations_.at(moving.operation + handles).get(),
                           .tree = moving.tree,
                           .is_first = moving.is_first,
                           .is_bundle = moving.is_bundle});
  const std::uint64_t now = cycle();
  ends_.clear();
  for (const RepeatSnapshot::End& end : to.ends)
    ends_[now + end.after].push_back(
        {end.granted + grants, end.handle + handles, end.part, end.rank});
  // A call that is still to come has been requested before the jump, in this order.
  wakes_.erase(wakes_.begin(), wakes_.upper_bound(now));
  for (const std::uint64_t after : to.wakes) wake(now + after);
}

// Jumps as far as earlier trajectories lead; records this state of the current one.
void FlowOperations::jump_or_record(StateDigest digest, RepeatCounts counts) {
  const bool is_entry = memo_.wants_entry();
  for (;;) {
    const RepeatMemo::Entry known = is_entry ? memo_.find(digest) : RepeatMemo::Entry{};
    const RepeatSnapshot* const to = jump_target(known);
    if (to == nullptr) break;
    jump(known.at, *to);
    ++jumps_;
    forget();
    counts = repeat_counts();
    digest = StateDigest(0);
    add_state(digest);
  }
  RepeatPoint at = repeat_point(std::move(counts));
  auto kept = memo_.wants_snapshot() ? snapshot(at) : nullptr;
  memo_.add(memo_.wants_entry() ? &digest : nullptr, std::move(at), std::move(kept));
}

}  // namespace fredsim
