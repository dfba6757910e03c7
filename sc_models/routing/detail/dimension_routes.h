// SPDX-License-Identifier: Apache-2.0
// Routing tables of switches on rings and lines, dimension by dimension
// (topology/dimension_order.h).
#pragma once

#include "routing/online_routes.h"
#include "topology/topology.h"

namespace fredsim {

// Tables by node, empty for endpoints, of addresses below `addresses`. 0 if the next link of the
// path has failed.
std::vector<OnlineRoutes> dimension_routes(const Topology& topology, int addresses);

}  // namespace fredsim
