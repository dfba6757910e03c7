// SPDX-License-Identifier: Apache-2.0
#include "topology/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <set>
#include <utility>
#include <vector>

#include "topology/topology_kind.h"

namespace fredsim {

std::uint64_t bisection_bytes_per_second(const Topology& topology) {
  return topology_kind(topology.kind).bisection_bytes_per_second(topology);
}

int diameter_links(const Topology& topology) {
  std::vector<std::vector<const Link*>> links_from(topology.nodes.size());
  for (const Link& link : topology.links) links_from[link.from].push_back(&link);
  int longest = 0;
  std::set<std::vector<NodeId>> seen;  // NPUs on the same switches have the same distances
  for (const NodeId npu : topology.npus) {
    std::vector<NodeId> neighbours;
    for (const Link* link : links_from[npu]) neighbours.push_back(link->to);
    std::ranges::sort(neighbours);
    if (!seen.insert(std::move(neighbours)).second) continue;
    // Breadth first; links on a die count no hop, and are visited first.
    std::vector<int> steps(topology.nodes.size(), -1);
    std::deque<NodeId> next{npu};
    steps[npu] = 0;
    while (!next.empty()) {
      const NodeId node = next.front();
      next.pop_front();
      // Only NPUs between dimensions of a system forward packets.
      if (node != npu && topology.nodes[node].is_endpoint() && !topology.has_blocks()) continue;
      for (const Link* link : links_from[node]) {
        const int there = steps[node] + (link->on_die ? 0 : 1);
        if (steps[link->to] >= 0 && steps[link->to] <= there) continue;
        steps[link->to] = there;
        if (link->on_die) {
          next.push_front(link->to);
        } else {
          next.push_back(link->to);
        }
      }
    }
    for (const NodeId other : topology.npus) longest = std::max(longest, steps[other]);
  }
  return longest;
}

int switch_parameter(const Topology& topology, std::string_view name) {
  for (const Node& node : topology.nodes) {
    const auto found = std::ranges::find(node.values, name, &NamedValue::name);
    if (found != node.values.end()) return found->value;
  }
  return 0;
}

std::string place_name(const Topology& topology, const Node& node) {
  if (node.is_endpoint()) {
    return node.kind == NodeKind::kNpu ? "NPU" : node.kind == NodeKind::kAdder ? "adder" : "I/O";
  }
  return topology.has_levels() ? fmt::format("L{}", node.level) : "router";
}

}  // namespace fredsim
