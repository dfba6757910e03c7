// SPDX-License-Identifier: Apache-2.0
// Repeats of FlowOperations: their issues, and the periods that are skipped.
#include <algorithm>
#include <limits>
#include <optional>

#include "flow/flow_operation.h"
#include "flow/flow_operations.h"
#include "flow/operation_repeats.h"

namespace fredsim {

void FlowOperation::move_origin(double time) {
  for (OfTree& tree : trees) tree.begin -= time;
  for (auto& part : ranks)
    for (OfRank& rank : part) rank.end -= time;
}

void FlowOperation::shift(std::uint64_t cycles) {
  shift_stages(cycles);
  report.issued += cycles;
  for (OfPart& part : parts) {
    if (!part.start) continue;
    *part.start += cycles;
    part.end += cycles;
  }
}

OperationHandle FlowOperations::begin_repeat(const std::shared_ptr<const PreparedPlan>& plan,
                                             const IssueOptions& options) {
  const auto repeat = std::make_shared<OperationRepeat>();
  repeat->plan = plan;
  repeat->times = options.times;
  for (const Part& part : plan->plan.parts)
    repeat->left.emplace_back(part.members.size(), options.times);
  repeat->handle = next_;
  repeats_.emplace(repeat->handle, repeat);
  for (; repeat->issued < std::min(options.times, options.at_a_time); ++repeat->issued)
    issue_one(plan, {}, options, repeat);
  return repeat->handle;
}

void FlowOperations::notify_rank(const FlowOperation& operation, const RankOfPart& at) {
  if (operation.repeat && --operation.repeat->left[at.part][at.rank] > 0) return;
  forget();
  const OperationHandle handle = operation.repeat ? operation.repeat->handle : operation.handle;
  if (callbacks_.rank_complete) callbacks_.rank_complete(handle, at.part, at.rank);
}

// Handles a complete issue of a repeat.
void FlowOperations::go_on(const std::shared_ptr<OperationRepeat>& repeat, OperationReport report) {
  if (++repeat->complete == repeat->times) {
    repeats_.erase(repeat->handle);
    forget();
    report.handle = repeat->handle;
    if (callbacks_.complete) callbacks_.complete(report);
    return;
  }
  if (repeat->issued == repeat->times) return;
  ++repeat->issued;
  issue_one(repeat->plan, {}, {}, repeat);
  if (system_ == nullptr) simulation_.ask_settled();
}

RepeatCounts FlowOperations::repeat_counts() const {
  RepeatCounts counts;
  counts.cycle = cycle();
  counts.operations = totals_.operations;
  counts.bytes = totals_.bytes;
  counts.waited_for_others = totals_.waited_for_others;
  for (const auto& [handle, repeat] : repeats_) counts.issued.push_back(repeat->issued);
  for (const OperationPlan* const plan : plans_in_order_)
    counts.of_plans.push_back({plan->times, plan->cycles});
  return counts;
}

void FlowOperations::add_state(StateDigest& digest) const {
  std::map<OperationHandle, std::uint64_t> numbers;
  for (const auto& [handle, operation] : operations_) numbers.emplace(handle, numbers.size());
  const auto number_of = [&](OperationHandle handle) { return numbers.at(handle); };
  const std::uint64_t now = cycle();
  simulation_.add_state(
      [&](FlowSimulation::Flow flow) {
        const Moving& moving = moving_.at(flow);
        digest.add(number_of(moving.operation->handle));
        digest.add(static_cast<std::uint64_t>(moving.tree) << 2U | (moving.is_first ? 2U : 0U) |
                   (moving.is_bundle ? 1U : 0U));
      },
      digest);
  turns_.add_state(digest);
  std::map<const OperationRepeat*, std::uint64_t> repeats{{nullptr, 0}};
  for (const auto& [handle, repeat] : repeats_) repeats.emplace(repeat.get(), repeats.size());
  for (const auto& [handle, operation] : operations_)
    operation->add_state(now, repeats.at(operation->repeat.get()), number_of, digest);
  for (const FlowOperation* const operation : granted_) digest.add(number_of(operation->handle));
  for (const Queue& queue : queues_) {
    digest.add(queue.operations.size());
    for (const auto& [handle, trees] : queue.operations) {
      digest.add(number_of(handle));
      digest.add(static_cast<std::uint64_t>(trees));
    }
  }
  for (const auto& [end_cycle, ends] : ends_) {
    digest.add(end_cycle - now);
    for (const End& end : ends) {
      digest.add(number_of(end.handle));
      digest.add(static_cast<std::uint64_t>(end.part) << 32U |
                 static_cast<std::uint32_t>(end.rank));
    }
  }
  for (const std::uint64_t wake : wakes_) digest.add(wake - now);
}

void FlowOperations::skip_repeats() {
  const std::uint64_t moved = simulation_.move_origin();
  if (moved == 0) return;
  for (const auto& [handle, operation] : operations_)
    operation->move_origin(static_cast<double>(moved));
  if (!skips_) return;
  const bool may_replay = has_only_repeats();
  const bool looks = recurrence_.looks() || (may_replay && memo_.wants_entry());
  if (!looks && !(may_replay && memo_.wants_snapshot())) {
    if (may_replay) memo_.pass();
    return;
  }
  StateDigest digest(0);
  if (looks) add_state(digest);
  RepeatCounts counts = repeat_counts();
  if (recurrence_.looks() && skip_periods(digest, counts)) return;
  if (may_replay) jump_or_record(digest, std::move(counts));
}

// Skips whole periods, if this state is an earlier one; false: none.
bool FlowOperations::skip_periods(const StateDigest& digest, const RepeatCounts& now) {
  const std::optional<RepeatCounts> before = recurrence_.find(digest, now);
  if (!before) return false;
  const RepeatCounts period = now.since(*before);
  std::uint64_t periods = std::numeric_limits<std::uint64_t>::max();
  if (!calls_.empty()) periods = (*calls_.begin() - now.cycle - 1) / period.cycle;
  std::size_t r = 0;
  for (const auto& [handle, repeat] : repeats_) {
    // Leaves at least one issue.
    const std::uint64_t left = repeat->times - repeat->issued;
    if (const std::uint64_t issued = period.issued[r++]; issued > 0)
      periods = std::min(periods, (left - std::min<std::uint64_t>(left, 1)) / issued);
  }
  if (periods == 0) return false;
  skip(periods, period);
  recurrence_.forget();
  return true;
}

// Adds skipped repeats to all counts.
void FlowOperations::count_skipped(std::uint64_t periods, const RepeatCounts& period) {
  totals_.operations += periods * period.operations;
  totals_.bytes += periods * period.bytes;
  totals_.waited_for_others += periods * period.waited_for_others;
  for (std::size_t p = 0; p < period.of_plans.size(); ++p) {
    plans_in_order_[p]->times += periods * period.of_plans[p].times;
    plans_in_order_[p]->cycles += periods * period.of_plans[p].cycles;
  }
  std::size_t r = 0;
  for (const auto& [handle, repeat] : repeats_) {
    const std::uint64_t issued = periods * period.issued[r++];
    repeat->issued += issued;
    repeat->complete += issued;
    recurrence_.count(issued);
  }
}

void FlowOperations::skip(std::uint64_t periods, const RepeatCounts& period) {
  const std::uint64_t cycles = periods * period.cycle;
  simulation_.skip(cycles);
  count_skipped(periods, period);
  std::size_t r = 0;
  for (const auto& [handle, repeat] : repeats_) {
    const std::uint64_t issued = periods * period.issued[r++];
    for (auto& part : repeat->left)
      for (std::uint64_t& left : part) left -= issued;
  }
  for (const auto& [handle, operation] : operations_)
    if (operation->repeat) operation->shift(cycles);
  std::map<std::uint64_t, std::vector<End>> ends;
  for (auto& [cycle, of_cycle] : ends_) ends.emplace(cycle + cycles, std::move(of_cycle));
  ends_ = std::move(ends);
  std::set<std::uint64_t> wakes;
  for (const std::uint64_t wake : wakes_) wakes.insert(wake + cycles);
  wakes_ = std::move(wakes);
}

}  // namespace fredsim
