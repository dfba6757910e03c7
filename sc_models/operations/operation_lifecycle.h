// SPDX-License-Identifier: Apache-2.0
// Life cycle of the operations of an engine: issued, granted, open, complete. An engine supplies
// the resources that a grant takes, and the data transfer.
//
// Order: operations are granted resources, and from then on wait only for operations granted before
// them, so that no operation waits for ever. Grants follow the order of issue among operations of
// which a rank could begin. A granted operation becomes open, and its ranks begin when they may, as
// soon as its resources are ready and no operation granted before is in conflict with it
// (operations/prepared_plan.h).
// Memory: of a complete operation only its number is kept.
// Time: cycles of the engine. All calls occur between two cycles.
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

// Operation that is not complete, with its state.
class StagedOperation : public RankStarts {
 public:
  enum class State : std::uint8_t {
    kIssued,   // waits for its dependencies, and for the resources of a grant
    kGranted,  // waits until the resources are ready and operations in conflict are complete
    kOpen,     // its ranks begin when they may
  };

  StagedOperation(OperationHandle handle, std::shared_ptr<const PreparedPlan> plan,
                  std::uint64_t now, const IssueOptions& options,
                  const std::vector<std::uint64_t>& starts);

  State state = State::kIssued;
  OperationReport report;
  std::uint64_t eligible = kNever;        // cycle in which a rank could have begun
  std::optional<std::uint64_t> ready_at;  // cycle in which all granted resources were ready

 protected:
  // Shifts all events after its issue by this number of cycles.
  void shift_stages(std::uint64_t cycles);
  // Copies starts (RankStarts::copy_starts()); keeps its own handle.
  void copy_stages(const StagedOperation& other);
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
    kMissing,  // later operations may be granted before it
    kNoMore,   // later operations may not be granted either
  };

  // ---- supplied by an engine
  virtual std::uint64_t now() const = 0;
  // Called before all grants of a round.
  virtual void begin_grants() {}
  // Takes the resources of an operation.
  virtual Grant take(Op& operation) = 0;
  // True when all granted resources are ready.
  virtual bool is_ready(const Op& /*operation*/) const { return true; }
  virtual bool are_in_conflict(const Op& earlier, const Op& later) {
    return in_conflict(*earlier.plan, *later.plan);
  }
  // Called when an operation becomes open.
  virtual void opened(Op& operation) = 0;
  virtual void begin(Op& operation, const std::vector<RankOfPart>& due) = 0;
  // Called after an operation was granted or opened, or a rank began.
  virtual void moved() {}
  // Collects completed ranks and operations; false: there are none.
  virtual bool collect() = 0;

  // ---- shared by all engines
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

  // Grants, opens and starts all operations that may proceed, and repeats while completions allow
  // more.
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

  // Next cycle in which a rank that only waits for time may begin; kNever: none.
  std::uint64_t next_start() const {
    std::uint64_t next = RankStarts::kNever;
    for (const auto& [handle, operation] : operations_) {
      const std::uint64_t start = operation->next_start();
      if (start > now()) next = std::min(next, start);
    }
    return next;
  }

  // Removes a complete operation.
  void remove(Op& operation) {
    std::erase(granted_, &operation);
    for (Op* const other : granted_) other->forget(operation);
    operations_.erase(operation.handle);
  }

  std::map<OperationHandle, std::unique_ptr<Op>> operations_;  // operations that are not complete
  std::vector<Op*> granted_;  // operations in the order of their grants
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
