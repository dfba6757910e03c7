// SPDX-License-Identifier: Apache-2.0
// Interface of engines, which run operations as they are issued: the communicator moves every flit
// (engine/communicator.h), flows move at rates (flow/flow_operations.h).
//
// Operation: a plan whose ranks begin and complete independently (operations/rank_starts.h). The
// issuer gets a callback when a rank is complete, and then one for the operation. Callbacks may
// issue; operations that they issue, and operations that depend on the completed one, may begin in
// the cycle of the callback.
// Time: cycles since the start of the run.
// Errors: BadInput for an operation that cannot be issued; RunFailed from wait_all() and finish(),
// with cause kDeadlock and a list of waits if no progress is possible; Interrupted where an engine
// cannot save operations in flight.
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
  std::vector<int> parts{};  // parts of its specs; empty: all parts
  bool all_ranks = false;    // else each NPU waits for its own part
};

// Name of an operation, and the parts of a result, under which it is observed
// (engine/detail/run_observers.h).
struct OperationLabel {
  std::string name{};
  std::vector<int> parts{};  // result parts by part of its specs
};

struct IssueOptions {
  std::uint64_t seed = 1;   // seed of the operands
  std::uint64_t delay = 0;  // cycles after its dependencies are complete, or after the issue
  std::vector<Dependency> after{};
  bool held = false;  // a rank also waits for its release()
  // Start delays of its ranks in cycles, by node (operations/arrivals.h); empty: no delays.
  std::vector<std::uint64_t> lags{};
  OnConflict on_conflict = OnConflict::kRefuse;
  OperationLabel label{};  // label for observers of the run
  // Repetitions, for engines that can_repeat(): the operation is issued `times` times, up to
  // `at_a_time` open at once. Its ranks and the operation are complete when all repetitions are. No
  // operation may depend on it by `after`, and it has no starts.
  std::uint64_t times = 1, at_a_time = 1;
};

// Report on an operation. Cycles refer to the engine's clock.
struct OperationReport {
  OperationHandle handle = 0;
  std::uint64_t issued = 0;
  std::uint64_t started = 0;            // when its first rank could send
  std::uint64_t ended = 0;              // when its last result was complete
  std::uint64_t waited_for_rows = 0;    // cycles in which only missing rows kept it from starting
  std::uint64_t waited_for_others = 0;  // further cycles spent waiting for operations in conflict
  int rows_loaded = 0, rows_found = 0, rows_evicted = 0;  // phases
  struct PartTimes {
    std::uint64_t start = 0, end = 0;
    bool has_begun = true, has_ended = true;
  };
  std::vector<PartTimes> parts;
  std::shared_ptr<const PreparedPlan> plan;
};

// Callbacks of an issuer: when a rank is complete, and then its operation. They run between two
// clock edges and may issue.
struct OperationCallbacks {
  std::function<void(OperationHandle, int part, int rank)> rank_complete;
  std::function<void(const OperationReport&)> complete;
};

// Totals over complete operations, and over the rows of all operations.
struct OperationTotals {
  std::uint64_t operations = 0;
  std::uint64_t last_end = 0;                                // cycle
  std::uint64_t flits = 0, bytes = 0;                        // flits and bytes of results,
                                                             // at all NPUs
  std::uint64_t waited_for_rows = 0, waited_for_others = 0;  // cycles, sum over all operations
  int preloaded = 0;                                         // phases written during set-up
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

  // `starts`, by part: cycles from the issue on; empty: all start at once.
  virtual OperationHandle issue(std::shared_ptr<const PreparedPlan> plan,
                                const std::vector<std::uint64_t>& starts,
                                const IssueOptions& options) = 0;
  virtual bool can_repeat() const { return false; }  // IssueOptions::times
  // Releases a rank of an operation that was issued held: the rank begins at `cycle`, or at once if
  // that has passed, as soon as its other dependencies are complete. At most one release per rank.
  virtual void release(OperationHandle handle, int part, int rank, std::uint64_t cycle) = 0;
  virtual bool complete(OperationHandle handle) const = 0;
  // Calls back at a cycle, or as soon as possible if that has passed; the callback may issue.
  virtual void call_at(std::uint64_t cycle, std::function<void()> callback) = 0;
  // Sets the callbacks; a rank's callback precedes its operation's.
  virtual void on_complete(std::function<void(const OperationReport&)> callback) = 0;
  virtual void on_rank_complete(
      std::function<void(OperationHandle, int part, int rank)> callback) = 0;

  // Runs until all issued operations are complete and no call is pending.
  virtual void wait_all() = 0;
  virtual void finish() = 0;  // checks that all operations are complete and all counts balance
  virtual bool stopped()
      const = 0;  // wait_all() has returned because the run was stopped from outside
  virtual std::uint64_t cycle() const = 0;
  virtual std::size_t in_flight()
      const = 0;  // operations in flight, operations that wait, and pending calls
  virtual const OperationTotals& totals() const = 0;
};

}  // namespace fredsim
