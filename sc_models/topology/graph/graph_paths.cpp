// SPDX-License-Identifier: Apache-2.0
#include "topology/graph/graph_paths.h"

#include <algorithm>
#include <deque>
#include <stdexcept>

namespace fredsim {

GraphPaths::GraphPaths(const Topology& topology)
    : exits_(topology.nodes.size()),
      last_(topology.npus.size()),
      ends_(topology.npus.size()),
      order_(topology.nodes.size(), -1) {
  for (const Link& link : topology.links) {
    const Node& from = topology.nodes[link.from];
    const Node& to = topology.nodes[link.to];
    if (!from.is_switch()) continue;
    if (to.is_switch()) {
      exits_[link.from].push_back({link.from_port, link.to});
    } else {
      last_[to.address].push_back({link.from_port, link.from});
      ends_[to.address].push_back(link.from);
    }
  }
  for (auto& exits : exits_) std::ranges::sort(exits, {}, &Exit::port);
  for (NodeId id = 0; id < std::ssize(topology.nodes); ++id)
    if (topology.nodes[id].is_switch()) by_order_.push_back(id);
  order_switches();
}

void GraphPaths::order_switches() {
  std::vector<int> distance(exits_.size(), -1);
  std::vector<NodeId> roots = by_order_;
  std::ranges::stable_sort(roots, std::greater{}, [&](NodeId id) { return exits_[id].size(); });
  for (const NodeId root : roots) {
    if (distance[root] >= 0) continue;  // in a plane that has its root
    std::deque<NodeId> open{root};
    distance[root] = 0;
    while (!open.empty()) {
      const NodeId at = open.front();
      open.pop_front();
      for (const Exit& exit : exits_[at]) {
        if (distance[exit.to] >= 0) continue;
        distance[exit.to] = distance[at] + 1;
        open.push_back(exit.to);
      }
    }
  }
  std::ranges::stable_sort(by_order_, {}, [&](NodeId id) { return distance[id]; });
  for (int i = 0; i < std::ssize(by_order_); ++i) order_[by_order_[i]] = i;
}

GraphPaths::Costs GraphPaths::find_costs(const std::vector<NodeId>& last) const {
  Costs costs(exits_.size(), kNone);
  // Against the links that lead down, breadth first.
  std::deque<NodeId> open(last.begin(), last.end());
  for (const NodeId id : last) costs[id] = 0;
  while (!open.empty()) {
    const NodeId at = open.front();
    open.pop_front();
    for (const Exit& exit : exits_[at]) {
      if (!leads_up(at, exit.to) || costs[exit.to] != kNone) continue;
      costs[exit.to] = costs[at] + 2;
      open.push_back(exit.to);
    }
  }
  for (const NodeId id : by_order_) {
    if (costs[id] != kNone) continue;
    for (const Exit& exit : exits_[id]) {
      if (!leads_up(id, exit.to) || costs[exit.to] == kNone) continue;
      const std::int32_t here = (costs[exit.to] / 2 + 1) * 2 + 1;
      if (costs[id] == kNone || here < costs[id]) costs[id] = here;
    }
  }
  return costs;
}

const GraphPaths::Costs& GraphPaths::costs(const std::vector<NodeId>& last) const {
  const std::lock_guard lock(mutex_);
  auto& known = costs_[last];
  if (!known) known = std::make_unique<const Costs>(find_costs(last));
  return *known;
}

int GraphPaths::port(int chiplet, std::uint16_t address) const {
  for (const Exit& last : last_[address])
    if (last.to == chiplet) return last.port;
  const Costs& all = costs(ends_[address]);
  const std::int32_t here = all[chiplet];
  if (here == kNone) return -1;
  const bool goes_up = here % 2 == 1;
  const auto is_next = [&](const Exit& exit) {
    return leads_up(chiplet, exit.to) == goes_up && all[exit.to] != kNone &&
           all[exit.to] / 2 == here / 2 - 1 && (goes_up || all[exit.to] % 2 == 0);
  };
  const auto count = std::ranges::count_if(exits_[chiplet], is_next);
  if (count == 0) throw std::logic_error("a switch has no link to go on by");
  auto nth = address % count;
  for (const Exit& exit : exits_[chiplet])
    if (is_next(exit) && nth-- == 0) return exit.port;
  return -1;
}

}  // namespace fredsim
