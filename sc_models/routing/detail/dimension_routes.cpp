// SPDX-License-Identifier: Apache-2.0
#include "routing/detail/dimension_routes.h"

#include <cassert>
#include <map>

#include "topology/dimension_order.h"

namespace fredsim {
namespace {

// Routes, 1 + port, by the switch at the link's other end.
std::map<int, OnlineRoute> ports_to_switches(const Topology& topology, NodeId chiplet) {
  std::map<int, OnlineRoute> ports;
  for (int port = 0; port < topology.nodes[chiplet].ports; ++port) {
    const int link = topology.link_out(chiplet, port);
    if (link < 0) continue;
    const Node& to = topology.nodes[topology.links[link].to];
    if (to.is_switch()) ports[to.switch_index] = static_cast<OnlineRoute>(1 + port);
  }
  return ports;
}

void add_routes(const Topology& topology, NodeId chiplet, OnlineRoutes& routes) {
  const Node& here = topology.nodes[chiplet];
  const std::map<int, OnlineRoute> ports = ports_to_switches(topology, chiplet);
  for (NodeId id = 0; id < std::ssize(topology.nodes); ++id) {
    const Node& endpoint = topology.nodes[id];
    if (!endpoint.is_endpoint()) continue;
    const int link = topology.link_out(id, here.slice);
    if (link < 0) continue;
    const Link& up = topology.links[link];
    if (up.to == chiplet) {
      routes[endpoint.address] = static_cast<OnlineRoute>(1 + up.to_port);
      continue;
    }
    const auto next =
        ports.find(next_switch(topology, here.switch_index, topology.nodes[up.to].switch_index));
    if (next != ports.end()) routes[endpoint.address] = next->second;
  }
}

}  // namespace

std::vector<OnlineRoutes> dimension_routes(const Topology& topology, int addresses) {
  assert(goes_along_dimensions(topology));
  std::vector<OnlineRoutes> routes(topology.nodes.size());
  for (NodeId id = 0; id < std::ssize(topology.nodes); ++id) {
    if (!topology.nodes[id].is_switch()) continue;
    routes[id].resize(static_cast<std::size_t>(addresses));
    add_routes(topology, id, routes[id]);
  }
  return routes;
}

}  // namespace fredsim
