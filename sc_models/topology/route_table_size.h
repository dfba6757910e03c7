// SPDX-License-Identifier: Apache-2.0
// Size of the routing tables of a machine's switches: parameter ROUTE_ADDR_W of their RTL, bits of
// a destination.
#pragma once

#include <optional>
#include <string_view>

#include "topology/topology.h"

namespace fredsim {

inline constexpr std::string_view kRouteAddressBits = "ROUTE_ADDR_W";

// Gives every switch of a fabric that routes unicasts by table one with room for the addresses of
// all endpoints, where the default or the machine's own value has none and the RTL can have it.
// Switches of a system have those of their blocks.
void size_route_tables(Topology& topology);

// The size as the node has it, or else the machine; none: the default.
std::optional<int> route_address_bits(const Topology& topology, const Node& node);

}  // namespace fredsim
