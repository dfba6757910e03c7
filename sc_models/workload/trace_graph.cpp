// SPDX-License-Identifier: Apache-2.0
#include "workload/trace_graph.h"

#include <utility>
#include <vector>

#include "workload/detail/trace_nodes.h"

namespace fredsim {

TaskGraph trace_graph(const TraceFiles& files, const CommGroups& groups, const ComputeSpeed& speed,
                      const Topology& topology, const TraceRules& rules) {
  TraceNodes nodes(files, groups, speed, topology, rules);
  nodes.keep_names();
  std::vector<TaskRank> ranks;
  for (int r = 0; r < std::ssize(nodes.members()); ++r) {
    TaskRank& rank = ranks.emplace_back(TaskRank{nodes.members()[r], {}});
    Task task;
    while (nodes.next(r, task)) rank.tasks.push_back(std::move(task));
  }
  nodes.check_all_matched();
  TaskGraph graph = nodes.take_graph();
  graph.in_order = false;
  graph.has_lanes = nodes.has_lanes();
  graph.ranks = std::move(ranks);
  return graph;
}

}  // namespace fredsim
