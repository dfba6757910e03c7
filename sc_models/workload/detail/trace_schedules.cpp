// SPDX-License-Identifier: Apache-2.0
#include "workload/detail/trace_schedules.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "workload/detail/trace_matching.h"
#include "workload_files/node_place.h"
#include "workload_files/trace_check.h"
#include "workload_files/trace_feeder.h"

namespace fredsim {

TraceSchedules::TraceSchedules(const std::vector<std::string>& paths,
                               const std::map<Collective, std::string>& prefixes)
    : paths_(paths), prefixes_(prefixes) {}

const std::string* TraceSchedules::prefix_of(const TraceNode& node) const {
  if (node.type != TraceNodeType::kCollective || node.collective == TraceCollective::kBarrier)
    return nullptr;
  const auto found = prefixes_.find(*collective_to_run(node.collective));
  return found == prefixes_.end() ? nullptr : &found->second;
}

const std::vector<TraceSchedules::Steps>& TraceSchedules::schedule(const std::string& prefix) {
  const auto [found, is_new] = read_.try_emplace(prefix);
  if (!is_new) return found->second;
  for (const std::string& path : check_traces(prefix).paths) {
    Steps& steps = found->second.emplace_back();
    TraceFeeder feeder(path);
    while (const auto node = feeder.next()) {
      feeder.complete(node->id);
      if (node->type == TraceNodeType::kCollective || node->type == TraceNodeType::kLoad ||
          node->type == TraceNodeType::kStore) {
        throw BadInput(fmt::format(
            "{}: found {}; allowed in a schedule: COMM_SEND_NODE, COMM_RECV_NODE and COMP_NODE",
            node_place(path, node->id, node->name, "type"), to_string(node->type)));
      }
      steps.push_back(*node);
    }
  }
  return found->second;
}

std::vector<TraceNode> TraceSchedules::steps(const TraceNode& node, int rank,
                                             const std::vector<int>& group) {
  const std::string& prefix = *prefix_of(node);
  const std::vector<Steps>& places = schedule(prefix);
  if (places.size() != group.size()) {
    throw BadInput(fmt::format(
        "{}: found a group of {} ranks with a schedule of {}, {}; allowed: as many",
        node_place(paths_[static_cast<std::size_t>(rank)], node.id, node.name, "comm_type"),
        group.size(), places.size(), prefix));
  }
  const auto place = static_cast<std::size_t>(std::ranges::find(group, rank) - group.begin());
  Steps steps = places[place];
  for (TraceNode& step : steps)
    if (step.peer != TraceNode::kNobody) step.peer = group[static_cast<std::size_t>(step.peer)];
  return steps;
}

}  // namespace fredsim
