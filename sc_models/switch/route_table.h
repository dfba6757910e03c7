// SPDX-License-Identifier: Apache-2.0
// Routing tables of switches for unicasts routed online: their registers (rtl/common/noc_pkg.sv,
// "REG_ROUTE"), and their contents for a whole fabric.
//
// Size: 2^ROUTE_ADDR_W destinations in kinds with this parameter; in others reg::kMaxRoutes.
#pragma once

#include <cstdint>
#include <vector>

#include "routing/online_routes.h"
#include "switch/switch_shape.h"
#include "topology/topology.h"

namespace fredsim {

struct RouteTable {
  std::uint16_t first = 0;  // word address of the register of destination 0
  int entries = 0;          // number of destinations

  bool has(std::uint16_t address) const { return address >= first && address - first < entries; }
  // Register of a destination, 0 to entries - 1.
  std::uint16_t address(std::size_t destination) const {
    return static_cast<std::uint16_t>(first + destination);
  }
};

RouteTable route_table(const SwitchShape& shape);
RouteTable route_table(const Topology& topology, const Node& node);  // `node`: the switch

// online_routes() of a fabric whose switches route by table, within the sizes of their tables.
// Errors: BadInput with a switch, the number found and the number allowed, if one has no room for
// all destinations.
std::vector<OnlineRoutes> table_contents(const Topology& topology);

}  // namespace fredsim
