// Routing tables of a FRED tree's switch chiplets for unicasts that are routed online
// (rtl/fred_online.sv, switch/register_map.h): up and down the tree by destination.
//
// Rule, per chiplet and destination: down, where the destination lies below; else up. Of the ports
//   that lead there, in ascending order, the one of number `destination address mod their number`: a
//   destination has one way from every source port, so that packets stay in order, and the
//   destinations are spread evenly over parallel links.
// Deadlock: none; a packet that has gone down never goes up again.
#pragma once

#include <cstdint>
#include <vector>

#include "topology/topology.h"

namespace fredsim {

// By destination address: 1 + output port, or 0 where the switch does not lead there.
using OnlineRoutes = std::vector<std::uint8_t>;

// By node, empty for endpoints. For kFredTree, of any number of levels.
// Errors: BadInput for an endpoint whose address is `max_routes` or more.
std::vector<OnlineRoutes> online_routes(const Topology& topology, int max_routes);

}  // namespace fredsim
