#include "routing/online_routes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <numeric>

#include "base/error.h"

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

}  // namespace

std::vector<OnlineRoutes> online_routes(const Topology& topology, int max_routes) {
  assert(topology.kind == FabricKind::kFredTree);
  const int addresses = count_addresses(topology, max_routes);
  const std::vector<std::vector<bool>> below = addresses_below(topology, addresses);
  std::vector<OnlineRoutes> routes(topology.nodes.size());
  std::vector<int> down;
  std::vector<int> up;
  for (NodeId id = 0; id < std::ssize(topology.nodes); ++id) {
    const Node& node = topology.nodes[id];
    if (node.level == 0) continue;
    routes[id].resize(addresses);
    for (int destination = 0; destination < addresses; ++destination) {
      down.clear();
      up.clear();
      for (int port = 0; port < node.ports; ++port) {
        const int link = topology.link_out(id, port);
        if (link < 0) continue;
        const NodeId to = topology.links[link].to;
        if (topology.nodes[to].level > node.level) {
          up.push_back(port);
        } else if (below[to][destination]) {
          down.push_back(port);
        }
      }
      const std::vector<int>& ports = down.empty() ? up : down;
      if (ports.empty()) continue;
      const auto chosen = static_cast<std::size_t>(destination) % ports.size();
      routes[id][destination] = static_cast<std::uint8_t>(1 + ports[chosen]);
    }
  }
  return routes;
}

}  // namespace fredsim
