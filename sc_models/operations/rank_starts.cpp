// SPDX-License-Identifier: Apache-2.0
#include "operations/rank_starts.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace fredsim {

RankStarts::RankStarts(OperationHandle number, std::shared_ptr<const PreparedPlan> what,
                       std::uint64_t now, const IssueOptions& options,
                       const std::vector<std::uint64_t>& starts)
    : handle(number),
      plan(std::move(what)),
      delay_(options.delay),
      has_lags_(!options.lags.empty()) {
  const std::vector<Part>& parts = plan->plan.parts;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const std::uint64_t from = now + (p < starts.size() ? starts[p] : 0);
    std::vector<Rank>& ranks = ranks_.emplace_back();
    for (const NodeId node : parts[p].members) {
      const std::uint64_t lag = has_lags_ ? options.lags[node] : 0;
      ranks.push_back({.from = from + lag, .lag = lag});
    }
    ranks_left_ += static_cast<int>(parts[p].members.size());
  }
  not_begun_ = ranks_left_;
}

void RankStarts::wait_for(RankStarts& earlier, const Dependency& dependency, std::uint64_t now) {
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
        rank.from = std::max(rank.from, now + delay_ + rank.lag);
    }
  }
  if (edge.left_in_all > 0) earlier.later_.push_back(std::move(edge));
}

void RankStarts::delay_all(std::uint64_t now) {
  for (std::vector<Rank>& part : ranks_)
    for (Rank& rank : part) rank.from = std::max(rank.from, now + delay_ + rank.lag);
}

void RankStarts::hold() {
  for (std::size_t p = 0; p < ranks_.size(); ++p)
    for (int r = 0; r < plan->plan.parts[p].ranks(); ++r) ++ranks_[p][r].waits;
}

void RankStarts::release(int part, int rank, std::uint64_t cycle) {
  Rank& at = ranks_[part][rank];
  --at.waits;
  at.from = std::max(at.from, cycle + at.lag);
}

bool RankStarts::parts_before_are_complete(int part) const {
  const std::vector<int>& after = plan->plan.parts[part].after;
  return std::ranges::all_of(after, [&](int before) { return part_has_ended(before); });
}

std::uint64_t RankStarts::next_start() const {
  std::uint64_t next = kNever;
  if (not_begun_ == 0) return next;
  for (std::size_t p = 0; p < ranks_.size(); ++p) {
    if (!parts_before_are_complete(static_cast<int>(p))) continue;
    for (const Rank& rank : ranks_[p])
      if (!rank.begun && rank.waits == 0) next = std::min(next, rank.from);
  }
  return next;
}

std::vector<RankOfPart> RankStarts::take_due(std::uint64_t cycle) {
  std::vector<RankOfPart> due;
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
void RankStarts::let_begin(const Which& which, std::uint64_t cycle) {
  for (int p = 0; p < std::ssize(ranks_); ++p) {
    for (std::size_t r = 0; r < ranks_[p].size(); ++r) {
      if (!which(members(p)[r])) continue;
      Rank& rank = ranks_[p][r];
      --rank.waits;
      rank.from = std::max(rank.from, cycle + delay_ + rank.lag);
    }
  }
}

void RankStarts::complete_for(Later& later, NodeId npu, std::uint64_t cycle) {
  const bool npu_is_complete = --later.left.at(npu) == 0;
  const bool all_are_complete = --later.left_in_all == 0;
  later.operation->let_begin(
      [&](NodeId waiting) {
        return later.waits_for_all(waiting) ? all_are_complete : waiting == npu && npu_is_complete;
      },
      cycle);
}

void RankStarts::forget(const RankStarts& later) {
  std::erase_if(later_, [&](const Later& edge) { return edge.operation == &later; });
}

bool RankStarts::complete_rank(int part, int rank, std::uint64_t cycle) {
  Rank& at = ranks_[part][rank];
  if (at.done || !at.begun) return false;
  at.done = true;
  --ranks_left_;
  for (Later& later : later_) {
    if (later.parts[part]) complete_for(later, members(part)[rank], cycle);
  }
  return true;
}

bool RankStarts::complete_at(NodeId npu) const {
  for (int p = 0; p < std::ssize(ranks_); ++p) {
    for (std::size_t r = 0; r < ranks_[p].size(); ++r)
      if (members(p)[r] == npu && !ranks_[p][r].done) return false;
  }
  return true;
}

void RankStarts::add_ranks(std::uint64_t cycle, StateDigest& digest) const {
  for (const std::vector<Rank>& part : ranks_) {
    for (const Rank& rank : part) {
      digest.add(static_cast<std::uint64_t>(rank.waits) << 2U | (rank.begun ? 1U : 0U) |
                 (rank.done ? 2U : 0U));
      digest.add(rank.from > cycle ? rank.from - cycle : 0);
      if (has_lags_) digest.add(rank.lag);
    }
  }
  digest.add(later_.size());
}

std::vector<RankOfPart> RankStarts::complete_ranks() const {
  std::vector<RankOfPart> complete;
  for (int p = 0; p < std::ssize(ranks_); ++p) {
    for (int r = 0; r < std::ssize(ranks_[p]); ++r)
      if (ranks_[p][r].done) complete.push_back({p, r});
  }
  return complete;
}

void RankStarts::copy_starts(const RankStarts& other) {
  assert(plan == other.plan && other.is_last());
  delay_ = other.delay_;
  has_lags_ = other.has_lags_;
  ranks_ = other.ranks_;
  ranks_left_ = other.ranks_left_;
  not_begun_ = other.not_begun_;
}

void RankStarts::shift_starts(std::uint64_t cycles) {
  for (std::vector<Rank>& part : ranks_)
    for (Rank& rank : part) rank.from += cycles;
}

}  // namespace fredsim
