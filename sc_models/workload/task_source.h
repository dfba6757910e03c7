// SPDX-License-Identifier: Apache-2.0
// Source of the tasks of a run, as run_tasks() reads them (graph_run.h): each rank's tasks in
// order, a few at a time.
//
// next(): the next task of a rank; its `after` are places in that order. Places of tasks that are
//   complete for good may be left out.
// look_ahead(): of a rank, a lower bound of the distance from a task to the last of its
//   dependencies; for a task without dependencies the distance to the place before the first task.
//   In order (TaskGraph::in_order) a computation also depends on the one before it. The run reads
//   as many tasks beyond the last complete one, so each is there before it can be ready.
// forget(): tasks of the rank up to there, or an operation, are complete and are not requested
//   again.
// Errors: BadInput if a file has changed since it was checked.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "workload/task_graph.h"

namespace fredsim {

class TaskSource {
 public:
  TaskSource() = default;
  virtual ~TaskSource() = default;
  TaskSource(const TaskSource&) = delete;
  TaskSource& operator=(const TaskSource&) = delete;

  virtual bool in_order() const = 0;
  // True if tasks of a rank are in several lanes; not in order then.
  virtual bool has_lanes() const { return false; }
  virtual const std::vector<int>& members() const = 0;  // by rank (base/member.h)
  virtual const std::vector<OperationShape>& shapes() const = 0;
  virtual const std::vector<std::uint64_t>& repeats() const = 0;  // number of issues, by shape
  virtual std::uint64_t look_ahead(int rank) const = 0;
  virtual int iterations() const { return 1; }  // 1 where the number is unknown

  virtual bool next(int rank, Task& task) = 0;  // false: end of the tasks
  virtual GraphOperation operation(int number) const = 0;
  virtual void forget(int /*rank*/, std::uint64_t /*end*/) {}
  virtual void forget_operation(int /*number*/) {}
  // Adds names of tasks and groups, by rank, for messages: the names that a graph of these tasks
  // alone would have.
  virtual void name(TaskGraph& graph) const = 0;
};

// Source of all tasks of a graph, which must outlive it.
class GraphTasks : public TaskSource {
 public:
  explicit GraphTasks(const TaskGraph& graph);
  bool in_order() const override { return graph_.in_order; }
  bool has_lanes() const override { return graph_.has_lanes; }
  const std::vector<int>& members() const override { return members_; }
  const std::vector<OperationShape>& shapes() const override { return graph_.shapes; }
  const std::vector<std::uint64_t>& repeats() const override { return repeats_; }
  std::uint64_t look_ahead(int rank) const override { return look_ahead_[rank]; }
  int iterations() const override { return iterations_; }
  bool next(int rank, Task& task) override;
  GraphOperation operation(int number) const override { return graph_.operations[number]; }
  void name(TaskGraph& graph) const override;

 private:
  const TaskGraph& graph_;
  std::vector<int> members_;
  std::vector<std::uint64_t> repeats_, look_ahead_;
  std::vector<std::size_t> next_;
  int iterations_ = 1;
};

// Finds a rank's look-ahead as its tasks come, in order. `after` is empty for a task without
// dependencies.
class LookAhead {
 public:
  explicit LookAhead(bool in_order) : in_order_(in_order) {}
  void add(const Task& task);
  std::uint64_t max() const { return max_; }

 private:
  bool in_order_;
  std::uint64_t place_ = 0, max_ = 1;
  std::uint64_t computation_ = 0;  // the last one's place + 1
};

}  // namespace fredsim
