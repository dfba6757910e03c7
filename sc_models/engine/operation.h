// SPDX-License-Identifier: Apache-2.0
// An operation that a communicator runs: what was issued, what its ranks wait for, and how far they are.
//
// A rank may begin when its part's start has come, what it waits for of earlier operations is complete and `delay` cycles
//   have passed since. It waits for its own NPU's part in an earlier operation, or, where that NPU has none or where so asked
//   for, for all ranks there.
// Internal to the communicator.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "collective/group_conflict.h"
#include "engine/job_npus.h"
#include "engine/prepared_plan.h"
#include "engine/row_store.h"
#include "npu/collective_job.h"

namespace fredsim {

using OperationHandle = std::uint64_t;

// A dependency of an operation.
struct Dependency {
  OperationHandle operation = 0;
  std::vector<int> parts{};  // parts of its specs; empty: all
  bool all_ranks = false;    // else each NPU waits for its own part
};

// Under which name, and as which parts of a result, an operation is observed (engine/run_observers.h).
struct OperationLabel {
  std::string name{};
  std::vector<int> parts{};  // by part of its specs
};

struct IssueOptions {
  std::uint64_t seed = 1;   // seed of the operands
  std::uint64_t delay = 0;  // cycles after what it comes after is complete, or after the issue
  std::vector<Dependency> after{};
  bool held = false;  // a rank waits for its release(), too
  OnConflict on_conflict = OnConflict::kRefuse;
  OperationLabel label{};  // label for observers of the run
};

// Report on an operation. Cycles are those of the communicator's clock.
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

// Whoever issues is called when a rank is complete, and then its operation. Between two edges; may issue.
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

class Operation {
 public:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};
  enum class State : std::uint8_t {
    kIssued,  // waits for what comes before, for rows, for streams
    kGranted,  // has them; waits until rows are loaded and operations in conflict with it are complete
    kOpen,     // its ranks begin as they may
  };

  // `starts`, by part: cycles from now on; empty: none.
  Operation(OperationHandle handle, std::shared_ptr<const PreparedPlan> plan, std::uint64_t seed,
            std::uint64_t now, std::uint64_t delay, const std::vector<std::uint64_t>& starts);

  // It begins after `earlier`, which is not complete.
  void wait_for(Operation& earlier, const Dependency& dependency, std::uint64_t now);
  // It begins after what is complete already: `delay` cycles from now on.
  void delay_all(std::uint64_t now);
  // Each rank waits for its release, too; a rank is released, from `cycle` on.
  void hold();
  void release(int part, int rank, std::uint64_t cycle);

  std::uint64_t next_start() const;  // start of a rank that waits for nothing but time; kNever:
                                     // none
  bool may_begin(std::uint64_t cycle) const { return next_start() <= cycle; }
  // Ranks that may begin now and have not; marks them.
  std::vector<CollectiveJob::RankOfPart> take_due(std::uint64_t cycle);
  // False: it was before, or the rank has not begun. Lets those begin that wait for it.
  bool complete_rank(int part, int rank, std::uint64_t cycle);
  void forget(const Operation& later);  // it is complete
  // All that its trajectory depends on, relative to `cycle`; `number_of` says how the digest calls an
  // operation.
  template <class NumberOf>
  void add_state(std::uint64_t cycle, const NumberOf& number_of, StateDigest& digest) const;
  void shift(
      std::uint64_t cycles);  // all that happened of it after its issue did so that much later
  std::vector<CollectiveJob::RankOfPart> complete_ranks() const;
  bool complete() const { return ranks_left_ == 0; }
  bool complete_at(NodeId npu) const;                 // no part of it is left there
  bool has_begun() const { return not_begun_ == 0; }  // all of its ranks have
  bool is_last() const { return later_.empty(); }     // nothing comes after it

  OperationHandle handle;
  const std::shared_ptr<const PreparedPlan> plan;
  const std::uint64_t seed;
  OperationLabel label;
  State state = State::kIssued;
  OperationReport report;
  std::uint64_t eligible = kNever;  // cycle at which a rank could have begun
  std::optional<std::uint64_t> rows_loaded_at;
  RowStore::Acquired rows;
  int first_tree = 0;
  std::unique_ptr<CollectiveJob> job;  // open
  std::optional<JobNpus> npus;         // the same

 private:
  struct Rank {
    int waits = 0;           // dependencies that are not complete for it, and its release
    std::uint64_t from = 0;  // cycle
    bool begun = false, done = false;
  };
  // An operation that comes after this one.
  struct Later {
    Operation* operation = nullptr;
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
  void add_state(std::uint64_t cycle, StateDigest& digest) const;
  void add_report(std::uint64_t cycle, StateDigest& digest) const;

  std::uint64_t delay_;
  std::vector<std::vector<Rank>> ranks_;  // by part
  int ranks_left_ = 0;
  int not_begun_ = 0;
  std::vector<Later> later_;
};

template <class NumberOf>
void Operation::add_state(std::uint64_t cycle, const NumberOf& number_of,
                          StateDigest& digest) const {
  add_state(cycle, digest);
  for (const Later& later : later_) {
    digest.add(number_of(*later.operation) << 1U | (later.all_ranks ? 1U : 0U));
    digest.add_all(later.parts);
    for (const auto& [npu, left] : later.left)
      digest.add(static_cast<std::uint64_t>(npu) << 32 | static_cast<std::uint32_t>(left));
    digest.add(static_cast<std::uint64_t>(later.left_in_all));
  }
}

}  // namespace fredsim
