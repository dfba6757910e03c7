// SPDX-License-Identifier: Apache-2.0
// Small graphs by hand, for tests.
#pragma once

#include <utility>
#include <vector>

#include "workload/task_graph.h"

namespace fredsim::test {

// On four NPUs, of which each has tasks in the order of the calls.
class GraphByHand {
 public:
  GraphByHand() {
    for (int npu = 0; npu < 4; ++npu) graph_.ranks.push_back({npu, {}});
    graph_.labels = {"compute", "all-reduce"};
  }

  int compute(int npu, std::uint64_t cycles, std::vector<int> after = {}) {
    Task task;
    task.cycles = cycles;
    task.after = std::move(after);
    return add(npu, std::move(task));
  }

  int operation(std::vector<int> group, std::uint64_t bytes, int vc = kDp,
                Collective collective = Collective::kAllReduce) {
    OperationShape shape;
    CollectiveSpec& spec = shape.work.emplace_back();
    spec.collective = collective;
    spec.group = std::move(group);
    spec.bytes = bytes;
    spec.vc = vc;
    graph_.shapes.push_back(std::move(shape));
    graph_.operations.push_back({static_cast<int>(graph_.shapes.size()) - 1, 1});
    return static_cast<int>(graph_.operations.size()) - 1;
  }

  // All-reduce of queue 0.
  int queued(std::vector<int> group, std::uint64_t bytes, int need) {
    const int number = operation(std::move(group), bytes);
    graph_.operations[number].queue = 0;
    graph_.operations[number].need = need;
    return number;
  }

  int join(int npu, int operation, std::vector<int> after = {}) {
    const std::vector<int>& group =
        graph_.shapes[graph_.operations[operation].shape].work.front().group;
    Task task;
    task.category = TimeCategory::kDp;
    task.label = 1;
    task.operation = operation;
    while (group[task.rank] != npu) ++task.rank;
    task.after = std::move(after);
    return add(npu, std::move(task));
  }

  const TaskGraph& graph() const { return graph_; }

 private:
  int add(int npu, Task task) {
    graph_.ranks[npu].tasks.push_back(std::move(task));
    return static_cast<int>(graph_.ranks[npu].tasks.size()) - 1;
  }

  TaskGraph graph_;
};

}  // namespace fredsim::test
