// SPDX-License-Identifier: Apache-2.0
// Scheduler of a communicator's operations: the order in which they get resources, the start of
// their ranks, and their progress from edge to edge.
//
// Order: operations/operation_lifecycle.h. A grant takes rows and numbers of streams; it takes
//   effect when the rows are loaded. Operations with equal rows follow each other at each NPU
//   without a gap.
// Phases: a row store gives them their indices (engine/row_store.h). Rows of operations issued
//   before start() are written in the set-up, as far as they fit; other rows are written during
//   traffic, an access per switch and cycle, when they are granted.
// Streams: numbers are given to the trees of an operation at its grant and released when it is
//   complete. Without free numbers it waits, and so do later operations.
// Time: cycles since start(), each an edge that was simulated, idle or skipped. All calls come
//   between two edges.
// Errors: the first failure of a job is kept there (has_failed(), check_failures()); BadInput for
//   phases that never fit; std::logic_error if two operations are open that may not be
//   (engine/open_links.h).
// Internal to the communicator.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/state_digest.h"
#include "engine/job_news.h"
#include "engine/machine.h"
#include "engine/memo/recurrence.h"
#include "engine/open_links.h"
#include "engine/operation.h"
#include "engine/row_loader.h"
#include "engine/row_store.h"
#include "engine/run_limits.h"
#include "operations/operation_lifecycle.h"
#include "operations/prepared_plan.h"

namespace fredsim {

// Receiver of a scheduler's completions, a rank's before its operation's. It may issue and release.
class CompletionListener {
 public:
  CompletionListener() = default;
  CompletionListener(const CompletionListener&) = delete;
  CompletionListener& operator=(const CompletionListener&) = delete;
  virtual ~CompletionListener() = default;
  virtual void rank_complete(OperationHandle handle, int part, int rank) = 0;
  // `flits`, `bytes`: totals of its results.
  virtual void operation_complete(const OperationReport& report, std::uint64_t flits,
                                  std::uint64_t bytes) = 0;
};

class OperationScheduler final : private OperationLifecycle<Operation> {
 public:
  // `rows`: maximum of used rows in each phase store; 0: all. Machine and listener outlive it.
  OperationScheduler(Machine& machine, int rows, CompletionListener& listener);

  // Begins cycle 0: rows are written before it, first for issued operations, then for
  // `expected`.
  void start(std::span<const std::shared_ptr<const PreparedPlan>> expected);
  std::uint64_t cycle() const;

  // ---- operations in flight
  OperationHandle new_handle() { return next_++; }
  OperationHandle next_handle() const { return next_; }  // handles from here on are unused
  void issue(OperationHandle handle, std::shared_ptr<const PreparedPlan> plan,
             const std::vector<std::uint64_t>& starts, const IssueOptions& options);
  void release(OperationHandle handle, int part, int rank, std::uint64_t cycle);
  // New names: operations in flight, in their order, get other handles and other cycles of issue.
  struct Name {
    OperationHandle handle = 0;
    std::uint64_t issued = 0;
  };
  void rename(std::span<const Name> names);

  // ---- clock edges
  void edge();           // called after each edge of the fabric
  void simulate_edge();  // simulates an edge of the fabric as well, with no time before it
  void process();        // starts all that may begin

  // ---- edges that are not simulated
  void skip_repeated(bool on) { skips_repeated_ = on; }
  // Number of edges from this one on that can run without a check in between, if nothing is issued
  // and completions may be reported later.
  std::uint64_t edges_at_once() const;
  // The next three functions skip edges, from the next one on, and return their number;
  // rest_until() and pass_until() stop at the edge before a cycle. `next_call`: cycle of the next
  // callback. `stops_at_states`: stop where a trajectory may end, too.
  std::uint64_t rest(std::uint64_t next_call, bool stops_at_states);
  std::uint64_t rest_until(std::uint64_t next);
  std::uint64_t pass_until(std::uint64_t next);
  bool ends_idling() const;
  void count_idle(std::uint64_t cycles) { idle_cycles_ += cycles; }
  std::uint64_t idle_cycles() const { return idle_cycles_; }
  const Recurrence& recurrence() const { return recurrence_; }
  // Restarts the recurrence after counters were changed other than by edges.
  void restart_recurrence() { recurrence_.restart(); }

  // Adds all that the future cycles depend on, relative to the cycle; false if a component cannot
  // give its state.
  bool add_state(StateDigest& digest) const;
  void shift_to(std::uint64_t cycle);  // sets the current cycle

  // ---- progress of operations
  // Incomplete operations.
  const std::map<OperationHandle, std::unique_ptr<Operation>>& operations() const {
    return operations_;
  }
  const Operation* find(OperationHandle handle) const;  // null: it is complete
  std::vector<const Operation*> open_operations() const;
  bool is_stuck() const;
  bool has_failed() const;
  void check_failures() const;  // throws the first failure
  std::string progress_text() const;
  std::vector<OperationReport::PartTimes> part_times(OperationHandle handle) const;
  // Work of running operations, as selected by a predicate.
  template <class Takes>
  std::uint64_t delivered_bytes(const Takes& takes) const {
    std::uint64_t bytes = 0;
    for (const Operation* operation : granted_)
      if (operation->job != nullptr && takes(operation->report.handle))
        bytes += operation->job->delivered_bytes();
    return bytes;
  }
  int max_streams() const { return max_streams_; }  // max trees that had numbers at a time
  OperationTotals& totals() { return totals_; }
  const OperationTotals& totals() const { return totals_; }
  RowLoader& loader() { return loader_; }
  const RowLoader& loader() const { return loader_; }
  Machine& machine() { return machine_; }
  Fabric& fabric() { return fabric_; }
  const RunLimits& limits() const { return limits_; }

 private:
  void changed();
  std::vector<CollectiveJob*> jobs_in_flight() const;
  std::uint64_t now() const override { return cycle(); }
  void begin_grants() override { rows_are_short_ = false; }
  Grant take(Operation& operation) override;
  bool is_ready(const Operation& operation) const override;
  void opened(Operation& operation) override;
  void begin(Operation& operation, const std::vector<RankOfPart>& due) override;
  void moved() override;
  bool collect() override;
  bool collect_complete();
  bool collect_from(Operation& operation);
  void finish_operation(Operation& operation);
  bool give_rows(Operation& operation);
  int take_streams(int trees) const;

  Machine& machine_;
  CompletionListener& listener_;
  Fabric& fabric_;
  const RunLimits& limits_;
  RowStore store_;
  RowLoader loader_;
  OpenLinks open_links_;
  Recurrence recurrence_;
  JobNews news_;
  std::map<int, int> streams_;   // first tree -> number of trees
  int max_streams_ = 0;          // highest number, at least 1
  bool rows_are_short_ = false;  // an earlier operation lacks rows
  OperationHandle next_ = 1;
  OperationTotals totals_;
  std::uint64_t first_edge_ = 0;
  std::uint64_t wake_ = 0;        // cycle at which an operation may begin by time alone
  std::uint64_t last_event_ = 0;  // cycle of the last event
  std::uint64_t idle_cycles_ = 0;
  bool is_running_ = false;
  bool skips_repeated_ = false;
};

}  // namespace fredsim
