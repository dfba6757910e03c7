// SPDX-License-Identifier: Apache-2.0
// Start conditions of an operation's ranks, as an engine evaluates them
// (operations/operation_engine.h).
//
// A rank may begin when the start cycle of its part has passed, the parts that its part depends on
// are complete, its dependencies on earlier operations are complete and `delay` cycles have passed
// since, and, if the operation was issued held, the rank has been released. It depends on its own
// NPU's part in an earlier operation, or on all ranks there if that NPU has no part or if so
// requested. The lag of its NPU is added to the start.
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

  // `starts`, by part: cycles from now on; empty: all start at once.
  RankStarts(OperationHandle handle, std::shared_ptr<const PreparedPlan> plan, std::uint64_t now,
             const IssueOptions& options, const std::vector<std::uint64_t>& starts);
  virtual ~RankStarts() = default;
  RankStarts(const RankStarts&) = delete;
  RankStarts& operator=(const RankStarts&) = delete;

  // Makes the operation depend on `earlier`, which is not complete.
  void wait_for(RankStarts& earlier, const Dependency& dependency, std::uint64_t now);
  // Makes all ranks wait `delay` cycles from now on; for dependencies that are already complete.
  void delay_all(std::uint64_t now);
  // hold(): each rank of the group also waits for its release, relays do not. release(): releases a
  // rank from `cycle` on.
  void hold();
  void release(int part, int rank, std::uint64_t cycle);

  std::uint64_t next_start()
      const;  // earliest start of a rank that only waits for time; kNever: none
  bool may_begin(std::uint64_t cycle) const { return next_start() <= cycle; }
  // Returns the ranks that may begin now and have not begun, and marks them as begun.
  std::vector<RankOfPart> take_due(std::uint64_t cycle);
  // Completes a rank, and releases the ranks that depend on it. False: the rank was complete
  // before, or has not begun.
  bool complete_rank(int part, int rank, std::uint64_t cycle);
  void forget(const RankStarts& later);  // removes a complete operation
  std::vector<RankOfPart> complete_ranks() const;
  bool complete() const { return ranks_left_ == 0; }
  bool complete_at(NodeId npu) const;                 // this operation has no part left at the NPU
  bool has_begun() const { return not_begun_ == 0; }  // all of its ranks have begun
  bool is_last() const { return later_.empty(); }     // no operation depends on it

  OperationHandle handle;
  const std::shared_ptr<const PreparedPlan> plan;

 protected:
  std::uint64_t delay() const { return delay_; }
  // True when a part of this operation is complete, for parts that depend on it.
  virtual bool part_has_ended(int part) const = 0;
  // Adds the state, relative to `cycle`, to a digest. `number_of`: number of an operation in the
  // digest, from its handle.
  void add_ranks(std::uint64_t cycle, StateDigest& digest) const;
  template <class NumberOf>
  void add_later(const NumberOf& number_of, StateDigest& digest) const;
  void shift_starts(std::uint64_t cycles);
  // Copies the state of an operation with the same plan, on which no other one depends.
  void copy_starts(const RankStarts& other);

 private:
  struct Rank {
    int waits = 0;           // incomplete dependencies, its release included
    std::uint64_t from = 0;  // cycle
    std::uint64_t lag = 0;   // cycles
    bool begun = false, done = false;
  };
  // Operation that depends on this one.
  struct Later {
    RankStarts* operation = nullptr;
    std::vector<bool> parts;  // parts of this operation that it depends on
    bool all_ranks = false;
    std::map<NodeId, int> left;  // incomplete ranks by NPU of these parts
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
