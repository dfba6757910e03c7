// SPDX-License-Identifier: Apache-2.0
#include "routing/online_routes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <functional>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "routing/detail/dimension_routes.h"
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

// Addresses, per node, that it reaches by going down only, ascending.
using AddressesBelow = std::vector<std::vector<int>>;

AddressesBelow addresses_below(const Topology& topology, int addresses) {
  AddressesBelow below(topology.nodes.size());
  std::vector<NodeId> order(topology.nodes.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](NodeId id) { return topology.nodes[id].level; });
  std::vector<NodeId> last(addresses, -1);  // index: address; the last node that has it
  for (const NodeId id : order) {
    const Node& node = topology.nodes[id];
    if (node.level == 0) below[id].push_back(node.address);
    for (int port = 0; port < node.ports; ++port) {
      const int link = topology.link_out(id, port);
      if (link < 0 || topology.nodes[topology.links[link].to].level >= node.level) continue;
      for (const int a : below[topology.links[link].to])
        if (std::exchange(last[a], id) != id) below[id].push_back(a);
    }
    std::ranges::sort(below[id]);
  }
  return below;
}

// Returns true, per node, if a destination can be reached from it: by going down, or up first.
std::vector<bool> leads_to(const Topology& topology, const AddressesBelow& below,
                           const std::vector<NodeId>& downwards, int destination) {
  std::vector<bool> leads(topology.nodes.size());
  for (const NodeId id : downwards) {
    const Node& node = topology.nodes[id];
    leads[id] = std::ranges::binary_search(below[id], destination);
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
  int chiplet = 0;  // number in its slice, on the destination's path up
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
      routes[id].push_back(static_cast<OnlineRoute>(1 + port));
    }
  }
  return routes;
}

// Nodes at the other ends of a switch's links, in order of its ports.
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

// Tables of a tree's switches. Of several links to a destination the chosen one is used; if some
// have failed, the remaining ones in turn.
class TreeRoutes {
 public:
  TreeRoutes(const Topology& topology, int addresses)
      : topology_(topology),
        addresses_(addresses),
        below_(addresses_below(topology, addresses)),
        ways_(ports_by_way(topology)) {
    for (int a = 0; a < addresses; ++a) choices_.push_back(choices_of(topology.tree, a));
    if (!topology.failed.any()) return;
    std::vector<NodeId> downwards(topology.nodes.size());  // highest level first
    std::iota(downwards.begin(), downwards.end(), 0);
    std::ranges::stable_sort(downwards, std::greater{},
                             [&](NodeId id) { return topology.nodes[id].level; });
    for (int a = 0; a < addresses; ++a) leads_.push_back(leads_to(topology, below_, downwards, a));
  }

  OnlineRoutes of(NodeId id) const {
    OnlineRoutes routes(addresses_);
    const auto place = static_cast<std::size_t>(topology_.nodes[id].level - 1);
    std::vector<int> links(addresses_);  // links that lead down there
    for (const Neighbour& one : ways_[id].down)
      for (const int a : below_[one.node]) ++links[a];
    std::vector<int> next(addresses_);
    for (const Neighbour& one : ways_[id].down)
      for (const int a : below_[one.node])
        if (next[a]++ == choices_[a].down[place] % links[a]) routes[a] = route(one);
    std::vector<Neighbour> up;
    for (int a = 0; a < addresses_; ++a) {
      if (links[a] > 0) continue;
      up.clear();
      for (const Neighbour& one : ways_[id].up)
        if (leads_.empty() || leads_[a][one.node]) up.push_back(one);
      if (up.empty()) continue;
      routes[a] = route(up[static_cast<std::size_t>(choices_[a].up[place]) % up.size()]);
    }
    return routes;
  }

 private:
  static OnlineRoute route(const Neighbour& to) { return static_cast<OnlineRoute>(1 + to.port); }

  const Topology& topology_;
  int addresses_;
  AddressesBelow below_;
  std::vector<PortsByWay> ways_;
  std::vector<Choices> choices_;          // index: address
  std::vector<std::vector<bool>> leads_;  // index: address and node; empty: all lead there
};

// Tables of each block, for all of its groups.
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
  const TreeRoutes tree(topology, addresses);
  std::vector<OnlineRoutes> routes(topology.nodes.size());
  for (NodeId id = 0; id < std::ssize(topology.nodes); ++id)
    if (topology.nodes[id].level > 0) routes[id] = tree.of(id);
  return routes;
}

}  // namespace fredsim
