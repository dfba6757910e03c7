// SPDX-License-Identifier: Apache-2.0
// Interface of engines, which run operations as they are issued: the communicator moves every flit
// (engine/communicator.h), flows move at rates (flow/flow_operations.h).
//
// Operation: a plan whose ranks begin each by itself (operations/rank_starts.h), and are complete
//   each by itself. Whoever issues is called when a rank is complete, and then its operation.
//   Callbacks may issue; what they issue, and what comes after something complete, may begin at the
//   cycle at which they are called.
// Time: cycles since the start of the run.
// Errors: BadInput of what cannot be issued; RunFailed of wait_all() and finish(), with cause
//   kDeadlock and what waits for what where nothing goes on any more; Interrupted where an engine
//   keeps nothing of what is under way.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "operations/prepared_plan.h"
#include "plan/group_conflict.h"

namespace fredsim {

using OperationHandle = std::uint64_t;

// A dependency of an operation.
struct Dependency {
  OperationHandle operation = 0;
  std::vector<int> parts{};  // parts of its specs; empty: all
  bool all_ranks = false;    // else each NPU waits for its own part
};

// Under which name, and as which parts of a result, an operation is observed
// (engine/detail/run_observers.h).
struct OperationLabel {
  std::string name{};
  std::vector<int> parts{};  // by part of its specs
};

struct IssueOptions {
  std::uint64_t seed = 1;   // seed of the operands
  std::uint64_t delay = 0;  // cycles after what it comes after is complete, or after the issue
  std::vector<Dependency> after{};
  bool held = false;  // a rank waits for its release(), too
  // Cycles, by node, by which its ranks begin later than they could (operations/arrivals.h); empty:
  // none.
  std::vector<std::uint64_t> lags{};
  OnConflict on_conflict = OnConflict::kRefuse;
  OperationLabel label{};  // label for observers of the run
  // Engines that can_repeat(): issued so often, up to `at_a_time` open at once. Its ranks, and it,
  // are complete when all of them are, and nothing comes after it by `after`. No starts.
  std::uint64_t times = 1, at_a_time = 1;
};

// Report on an operation. Cycles are those of the engine's clock.
struct OperationReport {
  OperationHandle handle = 0;
  std::uint64_t issued = 0;
  std::uint64_t started = 0;            // when its first rank could send
  std::uint64_t ended = 0;              // when its last result was complete
  std::uint64_t waited_for_rows = 0;    // cycles for which it could have started but for them
  std::uint64_t waited_for_others = 0;  // and then for operations that it is in conflict with
  int rows_loaded = 0, rows_found = 0, rows_evicted = 0;  // phases
  struct PartTimes {
    std::uint64_t start = 0, end = 0;
    bool has_begun = true, has_ended = true;
  };
  std::vector<PartTimes> parts;
  std::shared_ptr<const PreparedPlan> plan;
};

// Whoever issues is called when a rank is complete, and then its operation. Between two edges; may
// issue.
struct OperationCallbacks {
  std::function<void(OperationHandle, int part, int rank)> rank_complete;
  std::function<void(const OperationReport&)> complete;
};

// Totals of operations that are complete, and of the rows that any needed.
struct OperationTotals {
  std::uint64_t operations = 0;
  std::uint64_t last_end = 0;                                       // cycle
  std::uint64_t flits = 0, bytes = 0;                               // flits and bytes of results,
                                                                    // at all NPUs
  std::uint64_t waited_for_rows = 0, waited_for_others = 0;         // cycles, of all
  int preloaded = 0;                                                // phases written in the set-up
  std::uint64_t rows_loaded = 0, rows_found = 0, rows_evicted = 0;  // phases, after start()
  void count(const OperationReport& report, std::uint64_t of_flits, std::uint64_t of_bytes) {
    ++operations;
    last_end = std::max(last_end, report.ended);
    flits += of_flits;
    bytes += of_bytes;
    waited_for_rows += report.waited_for_rows;
    waited_for_others += report.waited_for_others;
  }
};

class OperationEngine {
 public:
  OperationEngine() = default;
  OperationEngine(const OperationEngine&) = delete;
  OperationEngine& operator=(const OperationEngine&) = delete;
  virtual ~OperationEngine() = default;

  // `starts`, by part: cycles from the issue on; empty: none.
  virtual OperationHandle issue(std::shared_ptr<const PreparedPlan> plan,
                                const std::vector<std::uint64_t>& starts,
                                const IssueOptions& options) = 0;
  virtual bool can_repeat() const { return false; }  // IssueOptions::times
  // Releases a rank of an operation that was issued held: it begins at `cycle`, or at once if that
  // has passed, as soon as it waits for nothing else. Each rank once.
  virtual void release(OperationHandle handle, int part, int rank, std::uint64_t cycle) = 0;
  virtual bool complete(OperationHandle handle) const = 0;
  // Calls back at a cycle, or as soon as may be where that is over; the callback may issue.
  virtual void call_at(std::uint64_t cycle, std::function<void()> callback) = 0;
  // A rank's comes before its operation's.
  virtual void on_complete(std::function<void(const OperationReport&)> callback) = 0;
  virtual void on_rank_complete(
      std::function<void(OperationHandle, int part, int rank)> callback) = 0;

  // Until all that was issued is complete and no call is to come.
  virtual void wait_all() = 0;
  virtual void finish() = 0;  // all is complete and balances
  virtual bool stopped()
      const = 0;  // wait_all() has returned since the run was stopped from outside
  virtual std::uint64_t cycle() const = 0;
  virtual std::size_t under_way() const = 0;  // and those that wait, and calls to come
  virtual const OperationTotals& totals() const = 0;
};

}  // namespace fredsim
