// SPDX-License-Identifier: Apache-2.0
#include "workload/task_source.h"

#include <algorithm>

namespace fredsim {

void LookAhead::add(const Task& task) {
  std::uint64_t last = 0;  // place + 1
  for (const int before : task.after) last = std::max(last, static_cast<std::uint64_t>(before) + 1);
  if (in_order_ && task.computes()) last = std::max(last, computation_);
  ++place_;
  max_ = std::max(max_, place_ - last);
  if (task.computes()) computation_ = place_;
}

GraphTasks::GraphTasks(const TaskGraph& graph)
    : graph_(graph), repeats_(graph.shapes.size()), next_(graph.ranks.size()) {
  for (const TaskRank& rank : graph.ranks) {
    members_.push_back(rank.member);
    LookAhead look_ahead(graph.in_order);
    for (const Task& task : rank.tasks) {
      look_ahead.add(task);
      if (!task.computes()) iterations_ = std::max(iterations_, task.iteration + 1);
    }
    look_ahead_.push_back(look_ahead.max());
  }
  for (const GraphOperation& operation : graph.operations)
    repeats_[operation.shape] += operation.times;
}

bool GraphTasks::next(int rank, Task& task) {
  const std::vector<Task>& tasks = graph_.ranks[rank].tasks;
  if (next_[rank] == tasks.size()) return false;
  task = tasks[next_[rank]++];
  return true;
}

void GraphTasks::name(TaskGraph& graph) const {
  graph.labels = graph_.labels;
  graph.groups = graph_.groups;
}

}  // namespace fredsim
