// SPDX-License-Identifier: Apache-2.0
// When the ranks of an operation may begin, as an engine finds it out
// (operations/operation_engine.h).
//
// A rank may begin when its part's start has come, the parts that its own comes after are complete,
//   what it waits for of earlier operations is complete and `delay` cycles have passed since, and,
//   where the operation was issued held, it has been released. It waits for its own NPU's part in
//   an earlier operation, or, where that NPU has none or where so asked for, for all ranks there.
//   It does so by the lag of its NPU later.
// Units: cycles. Internal to engines.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "base/state_digest.h"
#include "operations/operation_engine.h"

namespace fredsim {

class RankStarts {
 public:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  // `starts`, by part: cycles from now on; empty: none.
  RankStarts(OperationHandle handle, std::shared_ptr<const PreparedPlan> plan, std::uint64_t now,
             const IssueOptions& options, const std::vector<std::uint64_t>& starts);
  virtual ~RankStarts() = default;
  RankStarts(const RankStarts&) = delete;
  RankStarts& operator=(const RankStarts&) = delete;

  // It begins after `earlier`, which is not complete.
  void wait_for(RankStarts& earlier, const Dependency& dependency, std::uint64_t now);
  // It begins after what is complete already: `delay` cycles from now on.
  void delay_all(std::uint64_t now);
  // Each rank of the group waits for its release, too, relays do not; a rank is released, from
  // `cycle` on.
  void hold();
  void release(int part, int rank, std::uint64_t cycle);

  std::uint64_t next_start() const;  // start of a rank that waits for nothing but time; kNever:
                                     // none
  bool may_begin(std::uint64_t cycle) const { return next_start() <= cycle; }
  // Ranks that may begin now and have not; marks them.
  std::vector<RankOfPart> take_due(std::uint64_t cycle);
  // False: it was before, or the rank has not begun. Lets those begin that wait for it.
  bool complete_rank(int part, int rank, std::uint64_t cycle);
  void forget(const RankStarts& later);  // it is complete
  std::vector<RankOfPart> complete_ranks() const;
  bool complete() const { return ranks_left_ == 0; }
  bool complete_at(NodeId npu) const;                 // no part of it is left there
  bool has_begun() const { return not_begun_ == 0; }  // all of its ranks have
  bool is_last() const { return later_.empty(); }     // nothing comes after it

  OperationHandle handle;
  const std::shared_ptr<const PreparedPlan> plan;

 protected:
  std::uint64_t delay() const { return delay_; }
  // A part of this operation is complete, for parts that come after it.
  virtual bool part_has_ended(int part) const = 0;
  // `number_of`: how the digest calls the operation of a handle. Relative to `cycle`.
  void add_ranks(std::uint64_t cycle, StateDigest& digest) const;
  template <class NumberOf>
  void add_later(const NumberOf& number_of, StateDigest& digest) const;
  void shift_starts(std::uint64_t cycles);

 private:
  struct Rank {
    int waits = 0;           // dependencies that are not complete for it, and its release
    std::uint64_t from = 0;  // cycle
    std::uint64_t lag = 0;   // cycles
    bool begun = false, done = false;
  };
  // An operation that comes after this one.
  struct Later {
    RankStarts* operation = nullptr;
    std::vector<bool> parts;  // parts of this operation
    bool all_ranks = false;
    std::map<NodeId, int> left;  // NPUs of these parts: how many of their ranks are not complete
    int left_in_all = 0;
    bool waits_for_all(NodeId npu) const { return all_ranks || !left.contains(npu); }
  };
  bool parts_before_are_complete(int part) const;
  void complete_for(Later& later, NodeId npu, std::uint64_t cycle);
  template <class Which>
  void let_begin(const Which& which, std::uint64_t cycle);
  const std::vector<NodeId>& members(int part) const { return plan->plan.parts[part].members; }

  std::uint64_t delay_;
  bool has_lags_;
  std::vector<std::vector<Rank>> ranks_;  // by part
  int ranks_left_ = 0;
  int not_begun_ = 0;
  std::vector<Later> later_;
};

template <class NumberOf>
void RankStarts::add_later(const NumberOf& number_of, StateDigest& digest) const {
  for (const Later& later : later_) {
    digest.add(number_of(later.operation->handle) << 1U | (later.all_ranks ? 1U : 0U));
    digest.add_all(later.parts);
    for (const auto& [npu, left] : later.left)
      digest.add(static_cast<std::uint64_t>(npu) << 32 | static_cast<std::uint32_t>(left));
    digest.add(static_cast<std::uint64_t>(later.left_in_all));
  }
}

}  // namespace fredsim
