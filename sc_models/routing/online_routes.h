// SPDX-License-Identifier: Apache-2.0
// Routing tables of switches for unicasts that are routed online (rtl/phased/phased_route_ram.sv,
// switch/register_map.h): up and down a tree by destination. Switches on rings and lines:
// routing/detail/dimension_routes.h; others: topology/unicast_paths.h.
//
// Rule, per chiplet and destination: down, if the destination lies below; else up. The address of a
//   destination, written with the numbers of uplinks per chiplet as bases, gives it a digit per
//   level, lowest level first. On the way up a packet takes the uplink of its digit at every level,
//   which leads to the same chiplet per level from all sources. On the way down it takes the same
//   links as a packet on the way up from the destination would. So there is one path from every
//   source port to a destination, packets stay in order, and destinations are spread evenly over
//   the parallel links of every level, independently of the choices at lower levels (an address
//   modulo the number of links would leave links above the first level without destinations). If
//   links have failed (topology/faults.h) the rule applies to the links that still lead to the
//   destination: down if possible, else up to a chiplet from which it can be reached.
// Deadlock: none; a packet that has gone down never goes up again.
#pragma once

#include <cstdint>
#include <vector>

#include "topology/topology.h"

namespace fredsim {

// Wide enough for switches of systems that run as flows only (Topology::flow_only); RTL switches
// have up to kMaxPorts ports.
using OnlineRoute = std::uint32_t;
// Index: destination address. 1 + output port, or 0 if the switch does not lead there.
using OnlineRoutes = std::vector<OnlineRoute>;

// Tables by node, empty for endpoints, of a tree with any number of levels or of switches on rings
// and lines. Errors: BadInput for an endpoint whose address is `max_routes` or more.
std::vector<OnlineRoutes> online_routes(const Topology& topology, int max_routes);

}  // namespace fredsim
