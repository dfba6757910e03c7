// SPDX-License-Identifier: Apache-2.0
#include "workload/task_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace fredsim {

bool TaskGraph::has(TimeCategory category) const {
  return std::ranges::any_of(ranks, [category](const TaskRank& rank) {
    return std::ranges::find(rank.tasks, category, &Task::category) != rank.tasks.end();
  });
}

void TaskGraph::check() const {
  std::vector<std::vector<std::vector<int>>> met;  // by operation, part and rank: tasks
  for (const GraphOperation& operation : operations) {
    auto& parts = met.emplace_back();
    for (const CollectiveSpec& spec : shapes[operation.shape].work)
      parts.emplace_back(spec.group.size());
  }
  for (const TaskRank& rank : ranks) {
    for (int t = 0; t < std::ssize(rank.tasks); ++t) {
      const Task& task = rank.tasks[t];
      for (const int before : task.after)
        if (before < 0 || before >= t)
          throw std::logic_error(
              fmt::format("task {} of rank {} waits for {}", t, rank.member, before));
      if (task.computes()) continue;
      const CollectiveSpec& spec = shapes[operations[task.operation].shape].work[task.part];
      if (spec.group[task.rank] != rank.member)
        throw std::logic_error(fmt::format("rank {} is not in its operation", rank.member));
      ++met[task.operation][task.part][task.rank];
    }
  }
  for (const auto& parts : met)
    for (const auto& part : parts)
      for (const int tasks : part)
        if (tasks != 1)
          throw std::logic_error(fmt::format("an operation has {} tasks of a rank", tasks));
}

}  // namespace fredsim
