// SPDX-License-Identifier: Apache-2.0
// Window of tasks that a run holds, with their operations: read from the source (task_source.h)
// before they can be ready, dropped when they are complete and over.
//
// Tasks of a rank are numbered as in the source. A reference to a task is valid until the task is
//   retired, one to an operation until the operation is forgotten.
// Memory: bounded as in run_tasks() (graph_run.h); records of all tasks where records are kept.
// Errors: errors of the source.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "workload/detail/rank_clock.h"
#include "workload/task_graph.h"
#include "workload/task_record.h"
#include "workload/task_source.h"

namespace fredsim {

struct HeldTask {
  Task task;
  int waits = 0;            // number of incomplete dependencies
  std::uint64_t ready = 0;  // cycle at which the last dependency completed
  int cause = -1;           // the task of its rank that completed last among the dependencies
  std::uint64_t cause_order = 0;
  bool done = false;
  std::uint64_t order = 0;  // order of completion, from 1
  TaskRecord record{};
  std::vector<int> later{};  // tasks that wait for it
  // Breakdown up to the end of the task; before it is known, that of its cause, up to the cycle at
  // which the task became ready.
  TimeBreakdown path{};
  WaitTime waited{};

  void take_cause(const HeldTask& before, int number);  // if `before` is the last dependency so far
};

struct HeldOperation {
  static constexpr std::uint64_t kNotYet = ~std::uint64_t{0};
  struct Place {
    int rank = 0, task = 0;
  };
  GraphOperation what{};
  std::vector<std::vector<Place>> places{};        // by part and rank
  std::vector<std::vector<std::uint64_t>> left{};  // by part and rank: issues that are not complete
  std::uint64_t issued = 0;                        // number of issues
  int came = 0, tasks_left = 0;
  // Cycle at which the last member reached it, with its lag (operations/arrivals.h) and without.
  std::uint64_t start = 0, begin = 0;
  int cause_rank = -1, cause_task = -1;
  TimeBreakdown path{};  // breakdown up to the last task that it waited for
  // Message: cycle at which the receiver reached it, and cycle of its arrival.
  std::uint64_t expected = kNotYet, arrived = kNotYet;
};

class HeldTasks {
 public:
  struct Kind {
    int ranks = 0;
    bool is_message = false;
    bool passes_on = false;  // one sender, several receivers: messages and pipeline stages
  };

  // Reads the look-ahead of every rank. The source outlives it.
  HeldTasks(TaskSource& source, bool keeps_records);

  int ranks() const { return static_cast<int>(ranks_.size()); }
  int end(int rank) const;  // tasks that were read
  HeldTask& task(int rank, int number);
  bool all_done() const;  // all held tasks are done
  // Reads all tasks of a rank that have fewer than `end` before them.
  void read_until(int rank, std::uint64_t end);
  // Drops tasks that are complete and over at `now`. No result depends on the cycle of this call.
  void retire(int rank, std::uint64_t now);
  // Removes the next computation that has not begun from the list of the rank, in order. -1: none
  // is left, or the next one waits.
  int take_computation(int rank);

  HeldOperation& operation(int number) { return operations_.at(number); }
  HeldOperation* find_operation(int number);  // null: complete
  void forget_operation(int number);
  const Kind& kind_of(const HeldOperation& operation) const;

  void keep_record(int rank, int number);  // record of a task that is complete
  // Marks the interruption of a run; ends of computations may be known before they have come.
  void mark_not_ended(std::uint64_t now);
  TaskRecords take_records();

  std::size_t max() const { return max_; }  // max tasks of a rank held at a time
  const CategoriesUsed& used() const { return used_; }
  // Error message of a run without progress: waiting_text() of the next tasks of each rank.
  std::string text_of_those_left();

 private:
  struct Rank {
    std::deque<HeldTask> tasks;  // from `first` on
    int first = 0;
    bool at_end = false;              // end of the source reached
    std::vector<TaskRecord> records;  // records of all tasks, if they are kept
    std::deque<int> computations;     // in order: computations that have not begun
  };

  void add(int rank, HeldTask next);
  HeldOperation& operation_of(int number);

  TaskSource& source_;
  const bool keeps_records_;
  std::vector<Kind> kinds_;  // by shape
  std::vector<Rank> ranks_;
  std::map<int, HeldOperation> operations_;  // incomplete operations of tasks that were read
                                             // complete
  std::size_t max_ = 0;
  CategoriesUsed used_;  // categories of tasks so far
};

}  // namespace fredsim
