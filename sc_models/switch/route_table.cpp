// SPDX-License-Identifier: Apache-2.0
#include "switch/route_table.h"

#include <fmt/format.h>

#include "base/error.h"
#include "switch/node_shape.h"
#include "switch/register_map.h"
#include "topology/route_table_size.h"

namespace fredsim {
namespace {

RouteTable table_of(int address_bits) {
  return {.first = address_bits > static_cast<int>(noc_pkg::DEFAULT_ROUTE_ADDR_W) ? reg::kLargeRoute
                                                                                  : reg::kRoute,
          .entries = 1 << address_bits};
}

constexpr RouteTable kSmall{.first = reg::kRoute, .entries = reg::kMaxRoutes};

}  // namespace

RouteTable route_table(const SwitchShape& shape) {
  return shape.kind->index(kRouteAddressBits) < 0 ? kSmall
                                                  : table_of(shape.value(kRouteAddressBits));
}

RouteTable route_table(const Topology& topology, const Node& node) {
  const SwitchKind& kind = kind_of(node);
  const int at = kind.index(kRouteAddressBits);
  if (at < 0) return kSmall;
  return table_of(route_address_bits(topology, node)
                      .value_or(kind.parameters()[static_cast<std::size_t>(at)].default_value));
}

std::vector<OnlineRoutes> table_contents(const Topology& topology) {
  std::vector<OnlineRoutes> routes = online_routes(topology, reg::kMaxLargeRoutes);
  for (std::size_t id = 0; id < routes.size(); ++id) {
    const Node& node = topology.nodes[id];
    if (routes[id].empty()) continue;
    const int entries = route_table(topology, node).entries;
    if (std::ssize(routes[id]) <= entries) continue;
    throw BadInput(
        fmt::format("{}: found {} addresses of endpoints; the table of {}, a switch of the kind "
                    "{}, for unicasts "
                    "routed online has room for {}",
                    topology.name, routes[id].size(), node.name, node.switch_kind, entries));
  }
  return routes;
}

}  // namespace fredsim
