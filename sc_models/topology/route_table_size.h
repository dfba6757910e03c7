// SPDX-License-Identifier: Apache-2.0
// Size of the routing tables of a machine's switches: parameter ROUTE_ADDR_W of their RTL, bits of
// a destination.
#pragma once

#include <optional>
#include <string_view>

#include "topology/topology.h"

namespace fredsim {

inline constexpr std::string_view kRouteAddressBits = "ROUTE_ADDR_W";

// Sizes the route tables of switches that route unicasts by table: if the default or the machine's
// value has no room for the addresses of all endpoints and the RTL allows more, the table is
// enlarged. Switches of a system keep their blocks' sizes.
void size_route_tables(Topology& topology);

// The size as the node has it, or else the machine; none: the default.
std::optional<int> route_address_bits(const Topology& topology, const Node& node);

}  // namespace fredsim
