// SPDX-License-Identifier: Apache-2.0
// Life of the operations of an engine: issued, granted, open, complete. Engines add what a grant
// takes and what moves.
//
// Order: operations are granted what they need, and from then on wait only for those that were
//   granted before, so that none waits for ever. A grant takes an operation of which a rank could
//   begin, in the order of issue. It is open, and its ranks begin as they may, when all that it was
//   granted is there and no operation granted before is in conflict with it
//   (operations/prepared_plan.h).
// Memory: of an operation that is complete nothing stays but its number.
// Time: cycles of the engine. All calls come between two of them.
// Internal to engines.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "operations/operation_engine.h"
#include "operations/rank_starts.h"

namespace fredsim {

// An operation that is not complete, and how far it is.
class StagedOperation : public RankStarts {
 public:
  enum class State : std::uint8_t {
    kIssued,   // waits for what comes before, and for what a grant takes
    kGranted,  // waits until that is there, and operations in conflict with it are complete
    kOpen,     // its ranks begin as they may
  };

  StagedOperation(OperationHandle handle, std::shared_ptr<const PreparedPlan> plan,
                  std::uint64_t now, const IssueOptions& options,
                  const std::vector<std::uint64_t>& starts);

  State state = State::kIssued;
  OperationReport report;
  std::uint64_t eligible = kNever;        // cycle at which a rank could have begun
  std::optional<std::uint64_t> ready_at;  // cycle at which all was there that it was granted

 protected:
  // All that happened to it after its issue did so that many cycles later.
  void shift_stages(std::uint64_t cycles);
};

template <class Op>
class OperationLifecycle {
 public:
  OperationLifecycle() = default;
  OperationLifecycle(const OperationLifecycle&) = delete;
  OperationLifecycle& operator=(const OperationLifecycle&) = delete;
  virtual ~OperationLifecycle() = default;

 protected:
  enum class Grant : std::uint8_t {
    kTaken,
    kMissing,  // later ones may be granted before it
    kNoMore,   // nor may those after it
  };

  // ---- added by an engine
  virtual std::uint64_t now() const = 0;
  // Before all grants of a round.
  virtual void begin_grants() {}
  // Takes what the operation needs.
  virtual Grant take(Op& operation) = 0;
  // All is there that it was granted.
  virtual bool is_ready(const Op& /*operation*/) const { return true; }
  virtual bool are_in_conflict(const Op& earlier, const Op& later) {
    return in_conflict(*earlier.plan, *later.plan);
  }
  // It has become open.
  virtual void opened(Op& operation) = 0;
  virtual void begin(Op& operation, const std::vector<RankOfPart>& due) = 0;
  // Something was granted, opened or began.
  virtual void moved() {}
  // Takes what is complete; false: nothing is.
  virtual bool collect() = 0;

  // ---- shared by all
  void add(std::unique_ptr<Op> added, const IssueOptions& options) {
    Op& operation = *added;
    if (options.held) operation.hold();
    if (options.after.empty() && options.delay > 0) operation.delay_all(now());
    for (const Dependency& dependency : options.after) {
      const auto earlier = operations_.find(dependency.operation);
      if (earlier == operations_.end())
        operation.delay_all(now());
      else
        operation.wait_for(*earlier->second, dependency, now());
    }
    operations_.emplace(operation.handle, std::move(added));
    changed_ = true;
  }

  // Whatever may begin does, and whatever ends by that.
  void advance() {
    do {
      changed_ = false;
      bool some = grant();
      some |= open_those_that_can();
      some |= begin_due();
      if (some) moved();
      some |= collect();
      changed_ |= some;
    } while (changed_);
  }

  // Cycle after this one at which a rank may begin that waits for nothing but time; kNever: none.
  std::uint64_t next_start() const {
    std::uint64_t next = RankStarts::kNever;
    for (const auto& [handle, operation] : operations_) {
      const std::uint64_t start = operation->next_start();
      if (start > now()) next = std::min(next, start);
    }
    return next;
  }

  // It is complete.
  void remove(Op& operation) {
    std::erase(granted_, &operation);
    for (Op* const other : granted_) other->forget(operation);
    operations_.erase(operation.handle);
  }

  std::map<OperationHandle, std::unique_ptr<Op>> operations_;  // not complete
  std::vector<Op*> granted_;                                   // in that order
  bool changed_ = false;

 private:
  using State = StagedOperation::State;

  bool grant() {
    bool some = false;
    begin_grants();
    for (const auto& [handle, operation] : operations_) {
      if (operation->state != State::kIssued || !operation->may_begin(now())) continue;
      operation->eligible = std::min(operation->eligible, now());
      const Grant grant = take(*operation);
      if (grant == Grant::kNoMore) break;
      if (grant == Grant::kMissing) continue;
      operation->state = State::kGranted;
      granted_.push_back(operation.get());
      some = true;
    }
    return some;
  }

  bool open_those_that_can() {
    bool some = false;
    for (std::size_t i = 0; i < granted_.size(); ++i) {
      Op& operation = *granted_[i];
      if (operation.state != State::kGranted || !is_ready(operation)) continue;
      if (!operation.ready_at) {
        operation.ready_at = now();
        operation.report.waited_for_rows = now() - operation.eligible;
      }
      const auto in_the_way = [&](const Op* earlier) {
        return are_in_conflict(*earlier, operation);
      };
      if (std::any_of(granted_.begin(), granted_.begin() + static_cast<std::ptrdiff_t>(i),
                      in_the_way))
        continue;
      operation.state = State::kOpen;
      operation.report.started = now();
      operation.report.waited_for_others = now() - *operation.ready_at;
      opened(operation);
      some = true;
    }
    return some;
  }

  bool begin_due() {
    bool some = false;
    for (Op* const operation : granted_) {
      if (operation->state != State::kOpen || operation->has_begun()) continue;
      const std::vector<RankOfPart> due = operation->take_due(now());
      if (due.empty()) continue;
      begin(*operation, due);
      some = true;
    }
    return some;
  }
};

}  // namespace fredsim
