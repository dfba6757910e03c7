// SPDX-License-Identifier: Apache-2.0
#include "routing/online_routes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <functional>
#include <numeric>

#include "base/error.h"
#include "routing/dimension_routes.h"
#include "topology/dimension_order.h"
#include "topology/system.h"
#include "topology/unicast_paths.h"

namespace fredsim {
namespace {

int count_addresses(const Topology& topology, int max_routes) {
  int addresses = 0;
  for (const Node& node : topology.nodes) {
    if (node.level != 0) continue;
    if (node.address >= max_routes) {
      throw BadInput(fmt::format(
          "{}: found {} with address {}; a switch's table for unicasts routed online has "
          "room for addresses 0 to {}",
          topology.name, node.name, node.address, max_routes - 1));
    }
    addresses = std::max(addresses, node.address + 1);
  }
  return addresses;
}

// Per node, the addresses that it reaches by going down only.
std::vector<std::vector<bool>> addresses_below(const Topology& topology, int addresses) {
  std::vector<std::vector<bool>> below(topology.nodes.size(), std::vector<bool>(addresses));
  std::vector<NodeId> order(topology.nodes.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](NodeId id) { return topology.nodes[id].level; });
  for (const NodeId id : order) {
    const Node& node = topology.nodes[id];
    if (node.level == 0) below[id][node.address] = true;
    for (int port = 0; port < node.ports; ++port) {
      const int link = topology.link_out(id, port);
      if (link < 0 || topology.nodes[topology.links[link].to].level >= node.level) continue;
      const std::vector<bool>& child = below[topology.links[link].to];
      for (int a = 0; a < addresses; ++a) below[id][a] = below[id][a] || child[a];
    }
  }
  return below;
}

// Per node, whether a destination can be reached from it: by going down, or up first.
std::vector<bool> leads_to(const Topology& topology, const std::vector<std::vector<bool>>& below,
                           const std::vector<NodeId>& downwards, int destination) {
  if (topology.faults.empty()) return std::vector<bool>(topology.nodes.size(), true);
  std::vector<bool> leads(topology.nodes.size());
  for (const NodeId id : downwards) {
    const Node& node = topology.nodes[id];
    leads[id] = below[id][destination];
    for (int port = 0; port < node.ports && !leads[id]; ++port) {
      const int link = topology.link_out(id, port);
      if (link < 0 || topology.nodes[topology.links[link].to].level <= node.level) continue;
      leads[id] = leads[topology.links[link].to];
    }
  }
  return leads;
}

// Choice of a destination among parallel links, by level of the chiplet that chooses.
struct Choices {
  std::vector<int> up;    // uplink of the chiplet
  std::vector<int> down;  // index among the links to one switch below; [0], to an endpoint: 0
};

Choices choices_of(const SwitchTree& tree, int destination) {
  Choices choices{{}, {0}};
  int chiplet = 0;  // in its slice, on the destination's path up
  for (int k = 1; k < tree.depth(); ++k) {
    const int uplinks = tree.levels[k - 1].uplinks;
    choices.up.push_back(destination % uplinks);
    destination /= uplinks;
    const int link = chiplet * uplinks + choices.up.back();  // index in the slice
    const int per_chiplet = tree.uplinks_per_chiplet_above(k);
    choices.down.push_back(link % per_chiplet);
    chiplet = link / per_chiplet;
  }
  return choices;
}

// Routes by the paths that the kind of topology lays itself.
std::vector<OnlineRoutes> path_routes(const Topology& topology, int addresses) {
  std::vector<OnlineRoutes> routes(topology.nodes.size());
  for (NodeId id = 0; id < std::ssize(topology.nodes); ++id) {
    if (!topology.nodes[id].is_switch()) continue;
    for (int address = 0; address < addresses; ++address) {
      const int port = topology.paths->port(id, static_cast<std::uint16_t>(address));
      routes[id].push_back(static_cast<std::uint8_t>(1 + port));
    }
  }
  return routes;
}

// Chosen link of those that lead there; where some have failed, the remaining ones in turn.
std::uint8_t chosen(const std::vector<int>& ports, int choice) {
  return static_cast<std::uint8_t>(1 + ports[static_cast<std::size_t>(choice) % ports.size()]);
}

// Nodes that a switch has links to, in order of its ports.
struct Neighbour {
  int port = 0;
  NodeId node = 0;
};
struct PortsByWay {
  std::vector<Neighbour> up, down;
};

std::vector<PortsByWay> ports_by_way(const Topology& topology) {
  std::vector<PortsByWay> ways(topology.nodes.size());
  for (NodeId id = 0; id < std::ssize(topology.nodes); ++id) {
    const Node& node = topology.nodes[id];
    for (int port = 0; port < node.ports && node.level > 0; ++port) {
      const int link = topology.link_out(id, port);
      if (link < 0) continue;
      const NodeId to = topology.links[link].to;
      (topology.nodes[to].level > node.level ? ways[id].up : ways[id].down).push_back({port, to});
    }
  }
  return ways;
}

// Those of each block, for all of its groups.
std::vector<OnlineRoutes> routes_of_system(const Topology& topology, int max_routes) {
  const SystemPlaces places(topology);
  std::vector<OnlineRoutes> routes(topology.nodes.size());
  for (int d = 0; d < places.dimensions(); ++d) {
    const Topology& block = *topology.blocks[d].topology;
    if (block.unicasts != UnicastRoutes::kByTable) continue;
    const std::vector<OnlineRoutes> of_block = online_routes(block, max_routes);
    for (int group = 0; group < places.groups(d); ++group)
      for (NodeId node = 0; node < std::ssize(of_block); ++node)
        if (block.nodes[node].is_switch()) routes[places.node(d, group, node)] = of_block[node];
  }
  return routes;
}

}  // namespace

std::vector<OnlineRoutes> online_routes(const Topology& topology, int max_routes) {
  if (topology.has_blocks()) return routes_of_system(topology, max_routes);
  assert(topology.unicasts == UnicastRoutes::kByTable);
  const int addresses = count_addresses(topology, max_routes);
  if (topology.paths != nullptr) return path_routes(topology, addresses);
  if (goes_along_dimensions(topology)) return dimension_routes(topology, addresses);
  const std::vector<std::vector<bool>> below = addresses_below(topology, addresses);
  std::vector<OnlineRoutes> routes(topology.nodes.size());
  std::vector<NodeId> downwards(topology.nodes.size());  // highest level first
  std::iota(downwards.begin(), downwards.end(), 0);
  std::ranges::stable_sort(downwards, std::greater{},
                           [&](NodeId id) { return topology.nodes[id].level; });
  const std::vector<PortsByWay> ways = ports_by_way(topology);
  for (NodeId id = 0; id < std::ssize(topology.nodes); ++id)
    if (topology.nodes[id].level > 0) routes[id].resize(addresses);
  std::vector<int> ports;
  for (int destination = 0; destination < addresses; ++destination) {
    const Choices choices = choices_of(topology.tree, destination);
    const std::vector<bool> leads = leads_to(topology, below, downwards, destination);
    const auto find = [&](const std::vector<Neighbour>& neighbours, auto&& goes_there) {
      ports.clear();
      for (const Neighbour& one : neighbours)
        if (goes_there(one.node)) ports.push_back(one.port);
      return !ports.empty();
    };
    for (NodeId id = 0; id < std::ssize(topology.nodes); ++id) {
      const int level = topology.nodes[id].level;
      if (level == 0) continue;
      if (find(ways[id].down, [&](NodeId to) { return below[to][destination]; })) {
        routes[id][destination] = chosen(ports, choices.down[level - 1]);
      } else if (find(ways[id].up, [&](NodeId to) { return leads[to]; })) {
        routes[id][destination] = chosen(ports, choices.up[level - 1]);
      }
    }
  }
  return routes;
}

}  // namespace fredsim
