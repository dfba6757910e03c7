// SPDX-License-Identifier: Apache-2.0
#include "topology/graph/one_way_paths.h"

#include <algorithm>
#include <deque>

namespace fredsim {

OneWayPaths::OneWayPaths(const Topology& topology)
    : exits_(topology.nodes.size()), into_(topology.nodes.size()), endpoints_(topology.npus) {
  for (const Link& link : topology.links) {
    exits_[link.from].push_back({link.from_port, link.to});
    if (topology.nodes[link.from].is_switch()) into_[link.to].push_back(link.from);
  }
  for (auto& exits : exits_) std::ranges::sort(exits, {}, &Exit::port);
}

const std::vector<int>& OneWayPaths::distances(std::uint16_t address) const {
  const std::lock_guard lock(mutex_);
  const auto [known, is_new] = distances_.try_emplace(address);
  if (!is_new) return known->second;
  std::vector<int>& distance = known->second;
  distance.assign(exits_.size(), -1);
  std::deque<NodeId> open{endpoints_[address]};
  distance[open.front()] = 0;
  while (!open.empty()) {
    const NodeId at = open.front();
    open.pop_front();
    for (const NodeId before : into_[at]) {
      if (distance[before] >= 0) continue;
      distance[before] = distance[at] + 1;
      open.push_back(before);
    }
  }
  return distance;
}

int OneWayPaths::port(int chiplet, std::uint16_t address) const {
  const std::vector<int>& left = distances(address);
  if (left[chiplet] < 0) return -1;
  const auto is_next = [&](const Exit& exit) { return left[exit.to] == left[chiplet] - 1; };
  auto nth = address % std::ranges::count_if(exits_[chiplet], is_next);
  for (const Exit& exit : exits_[chiplet])
    if (is_next(exit) && nth-- == 0) return exit.port;
  return -1;
}

}  // namespace fredsim
