// SPDX-License-Identifier: Apache-2.0
#include "fabric/cut.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <limits>
#include <stdexcept>

#include "links/link_policy.h"

namespace fredsim {
namespace {

void join_endpoints(const Topology& topology, Cut& cut) {
  for (NodeId id = 0; id < std::ssize(cut); ++id) {
    if (const NodeId home = home_switch(topology, id); home >= 0) cut[id] = cut[home];
  }
}

}  // namespace

int partitions_of(const Topology& topology, const Cut& cut) {
  if (cut.empty()) return 1;
  if (cut.size() != topology.nodes.size()) {
    throw std::logic_error(fmt::format("a cut of {} nodes; {} has {}", cut.size(), topology.name,
                                       topology.nodes.size()));
  }
  const int partitions = *std::ranges::max_element(cut) + 1;
  for (int partition = 0; partition < partitions; ++partition) {
    if (std::ranges::find(cut, partition) != cut.end()) continue;
    throw std::logic_error(fmt::format("partition {} of {} has no node", partition, partitions));
  }
  if (*std::ranges::min_element(cut) < 0) throw std::logic_error("a node in no partition");
  return partitions;
}

int max_partitions(const Topology& topology) {
  return static_cast<int>(
      std::max<std::ptrdiff_t>(1, std::ranges::count_if(topology.nodes, &Node::is_switch)));
}

NodeId home_switch(const Topology& topology, NodeId node) {
  if (topology.nodes[node].is_switch()) return -1;
  for (int port = 0; port < topology.nodes[node].ports; ++port) {
    const int link = topology.link_out(node, port);
    if (link >= 0 && topology.nodes[topology.links[link].to].is_switch())
      return topology.links[link].to;
  }
  return -1;
}

Cut cut_evenly(const Topology& topology, int partitions) {
  assert(partitions >= 1 && partitions <= max_partitions(topology));
  Cut cut(topology.nodes.size(), 0);
  std::int64_t ports = 0;
  for (const Node& node : topology.nodes) ports += node.is_switch() ? node.ports : 0;
  int switches = max_partitions(topology);  // switches left
  int partition = 0;
  int in_it = 0;            // switches in the partition
  std::int64_t before = 0;  // ports before the switch
  for (std::size_t id = 0; id < cut.size(); ++id) {
    const Node& node = topology.nodes[id];
    if (!node.is_switch()) continue;
    // The middle of a switch's ports decides; every partition gets a switch.
    const bool is_full = (2 * before + node.ports) * partitions >= 2 * ports * (partition + 1);
    const bool is_last_chance = switches < partitions - partition;
    if (in_it != 0 && partition + 1 < partitions && (is_full || is_last_chance)) {
      ++partition;
      in_it = 0;
    }
    cut[id] = partition;
    ++in_it;
    --switches;
    before += node.ports;
  }
  join_endpoints(topology, cut);
  return cut;
}

Cut cut_parts_evenly(const Topology& topology, const Cut& cut, int into) {
  std::vector<std::int64_t> ports(static_cast<std::size_t>(partitions_of(topology, cut)));
  for (std::size_t id = 0; id < cut.size(); ++id)
    ports[cut[id]] += topology.nodes[id].is_switch() ? topology.nodes[id].ports : 0;
  std::vector<std::int64_t> before(ports.size());
  Cut parts(cut.size(), 0);
  for (std::size_t id = 0; id < cut.size(); ++id) {
    const Node& node = topology.nodes[id];
    if (!node.is_switch()) continue;
    const int part = cut[id];
    // The middle of a switch's ports decides.
    parts[id] = static_cast<int>((2 * before[part] + node.ports) * into / (2 * ports[part]));
    before[part] += node.ports;
  }
  join_endpoints(topology, parts);
  return parts;
}

Cut cut_into_rectangles(const Topology& grid, int columns, int rows) {
  assert(columns >= 1 && rows >= 1);
  const int in_a_row = (grid.grid.width + columns - 1) / columns;
  Cut cut(grid.nodes.size(), 0);
  for (std::size_t id = 0; id < cut.size(); ++id) {
    const Node& node = grid.nodes[id];
    if (node.is_switch()) cut[id] = node.mesh.y / rows * in_a_row + node.mesh.x / columns;
  }
  join_endpoints(grid, cut);
  return cut;
}

Cut cut_for_caches(const Topology& topology) {
  constexpr int kSide = 8, kFewestRouters = 144;
  if (find_link_policy(topology) != nullptr ||
      topology.grid.width * topology.grid.height < kFewestRouters)
    return {};
  return cut_into_rectangles(topology, kSide, kSide);
}

std::uint64_t look_ahead(const Topology& topology, const Cut& cut) {
  std::uint64_t min = std::numeric_limits<std::uint64_t>::max();
  for (const Link& link : topology.links) {
    if (cut.empty() || cut[link.from] == cut[link.to]) continue;
    min = std::min(min, static_cast<std::uint64_t>(link.latency));
  }
  return min;
}

}  // namespace fredsim
