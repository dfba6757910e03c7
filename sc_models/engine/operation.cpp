// SPDX-License-Identifier: Apache-2.0
#include "engine/operation.h"

#include <algorithm>

namespace fredsim {

Operation::Operation(OperationHandle number, std::shared_ptr<const PreparedPlan> what,
                     std::uint64_t operands, std::uint64_t now, std::uint64_t delay,
                     const std::vector<std::uint64_t>& starts)
    : handle(number), plan(std::move(what)), seed(operands), delay_(delay) {
  const std::vector<Part>& parts = plan->plan.parts;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const std::uint64_t from = now + (p < starts.size() ? starts[p] : 0);
    ranks_.emplace_back(parts[p].members.size(), Rank{.from = from});
    ranks_left_ += static_cast<int>(parts[p].members.size());
  }
  not_begun_ = ranks_left_;
  report.handle = handle;
  report.issued = now;
  report.plan = plan;
}

void Operation::wait_for(Operation& earlier, const Dependency& dependency, std::uint64_t now) {
  Later edge;
  edge.operation = this;
  edge.all_ranks = dependency.all_ranks;
  edge.parts.assign(earlier.ranks_.size(), dependency.parts.empty());
  for (const int part : dependency.parts) edge.parts[part] = true;
  for (std::size_t p = 0; p < earlier.ranks_.size(); ++p) {
    if (!edge.parts[p]) continue;
    for (std::size_t r = 0; r < earlier.ranks_[p].size(); ++r) {
      const int left = earlier.ranks_[p][r].done ? 0 : 1;
      edge.left[earlier.members(static_cast<int>(p))[r]] += left;
      edge.left_in_all += left;
    }
  }
  for (std::size_t p = 0; p < ranks_.size(); ++p) {
    for (std::size_t r = 0; r < ranks_[p].size(); ++r) {
      const NodeId npu = members(static_cast<int>(p))[r];
      const int left = edge.waits_for_all(npu) ? edge.left_in_all : edge.left.at(npu);
      Rank& rank = ranks_[p][r];
      if (left > 0)
        ++rank.waits;
      else
        rank.from = std::max(rank.from, now + delay_);
    }
  }
  if (edge.left_in_all > 0) earlier.later_.push_back(std::move(edge));
}

void Operation::delay_all(std::uint64_t now) {
  for (std::vector<Rank>& part : ranks_)
    for (Rank& rank : part) rank.from = std::max(rank.from, now + delay_);
}

void Operation::hold() {
  for (std::vector<Rank>& part : ranks_)
    for (Rank& rank : part) ++rank.waits;
}

void Operation::release(int part, int rank, std::uint64_t cycle) {
  Rank& at = ranks_[part][rank];
  --at.waits;
  at.from = std::max(at.from, cycle);
}

bool Operation::parts_before_are_complete(int part) const {
  const std::vector<int>& after = plan->plan.parts[part].after;
  return after.empty() || (job != nullptr && std::ranges::all_of(after, [&](int before) {
                             return job->ended(before);
                           }));
}

std::uint64_t Operation::next_start() const {
  std::uint64_t next = kNever;
  if (not_begun_ == 0) return next;
  for (std::size_t p = 0; p < ranks_.size(); ++p) {
    if (!parts_before_are_complete(static_cast<int>(p))) continue;
    for (const Rank& rank : ranks_[p])
      if (!rank.begun && rank.waits == 0) next = std::min(next, rank.from);
  }
  return next;
}

std::vector<CollectiveJob::RankOfPart> Operation::take_due(std::uint64_t cycle) {
  std::vector<CollectiveJob::RankOfPart> due;
  if (not_begun_ == 0) return due;
  for (int p = 0; p < std::ssize(ranks_); ++p) {
    if (!parts_before_are_complete(p)) continue;
    for (int r = 0; r < std::ssize(ranks_[p]); ++r) {
      Rank& rank = ranks_[p][r];
      if (rank.begun || rank.waits > 0 || rank.from > cycle) continue;
      rank.begun = true;
      --not_begun_;
      due.push_back({p, r});
    }
  }
  return due;
}

template <class Which>
void Operation::let_begin(const Which& which, std::uint64_t cycle) {
  for (int p = 0; p < std::ssize(ranks_); ++p) {
    for (std::size_t r = 0; r < ranks_[p].size(); ++r) {
      if (!which(members(p)[r])) continue;
      --ranks_[p][r].waits;
      ranks_[p][r].from = std::max(ranks_[p][r].from, cycle + delay_);
    }
  }
}

void Operation::complete_for(Later& later, NodeId npu, std::uint64_t cycle) {
  const bool npu_is_complete = --later.left.at(npu) == 0;
  const bool all_are_complete = --later.left_in_all == 0;
  later.operation->let_begin(
      [&](NodeId waiting) {
        return later.waits_for_all(waiting) ? all_are_complete : waiting == npu && npu_is_complete;
      },
      cycle);
}

void Operation::forget(const Operation& later) {
  std::erase_if(later_, [&](const Later& edge) { return edge.operation == &later; });
}

bool Operation::complete_rank(int part, int rank, std::uint64_t cycle) {
  Rank& at = ranks_[part][rank];
  if (at.done || !at.begun) return false;
  at.done = true;
  --ranks_left_;
  for (Later& later : later_) {
    if (later.parts[part]) complete_for(later, members(part)[rank], cycle);
  }
  return true;
}

bool Operation::complete_at(NodeId npu) const {
  for (int p = 0; p < std::ssize(ranks_); ++p) {
    for (std::size_t r = 0; r < ranks_[p].size(); ++r)
      if (members(p)[r] == npu && !ranks_[p][r].done) return false;
  }
  return true;
}

void Operation::add_state(std::uint64_t cycle, StateDigest& digest) const {
  digest.add(plan->identity);
  digest.add(static_cast<std::uint64_t>(state));
  digest.add(delay_);
  digest.add(static_cast<std::uint64_t>(first_tree));
  digest.add(eligible == kNever ? kNever : cycle - eligible);
  digest.add(rows_loaded_at ? cycle - *rows_loaded_at : kNever);
  for (const StoredPhase* phase : rows.phases) digest.add(static_cast<std::uint64_t>(phase->index));
  for (const std::vector<Rank>& part : ranks_) {
    for (const Rank& rank : part) {
      digest.add(static_cast<std::uint64_t>(rank.waits) << 2U | (rank.begun ? 1U : 0U) |
                 (rank.done ? 2U : 0U));
      digest.add(rank.from > cycle ? rank.from - cycle : 0);
    }
  }
  digest.add(later_.size());
  add_report(cycle, digest);
  if (job != nullptr) job->add_state_with_counts(cycle, digest);
}

// State of the operation as it will be reported.
void Operation::add_report(std::uint64_t cycle, StateDigest& digest) const {
  digest.add(state == State::kOpen ? cycle - report.started : 0);
  digest.add(report.waited_for_rows);
  digest.add(report.waited_for_others);
  for (const int phases : {report.rows_loaded, report.rows_found, report.rows_evicted})
    digest.add(static_cast<std::uint64_t>(phases));
}

std::vector<CollectiveJob::RankOfPart> Operation::complete_ranks() const {
  std::vector<CollectiveJob::RankOfPart> complete;
  for (int p = 0; p < std::ssize(ranks_); ++p) {
    for (int r = 0; r < std::ssize(ranks_[p]); ++r)
      if (ranks_[p][r].done) complete.push_back({p, r});
  }
  return complete;
}

void Operation::shift(std::uint64_t cycles) {
  for (std::vector<Rank>& part : ranks_)
    for (Rank& rank : part) rank.from += cycles;
  report.started += cycles;
  if (eligible != kNever) eligible += cycles;
  if (rows_loaded_at) *rows_loaded_at += cycles;
  if (job != nullptr) job->shift(cycles);
}

}  // namespace fredsim
