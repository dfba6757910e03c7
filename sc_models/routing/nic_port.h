// SPDX-License-Identifier: Apache-2.0
// The NIC port by which an endpoint sends a unicast, for any fabric.
//
// Routing by coordinates, in a grid of mesh routers: the port that faces the first hop
//   (routing/mesh_routing.h); `spread` is ignored.
// Routing by table, in a FRED tree: any port leads to every endpoint, by slices of their own;
//   `spread`, 0 or more, chooses: port spread modulo the number of ports. Packets by one port stay
//   in order, packets by several may overtake each other. If slices have failed components
//   (topology/faults.h) and the chosen port does not lead there, one of the ports that do.
// Paths of its own (topology/unicast_paths.h): port `spread` of all ports with equally good paths,
//   modulo their number.
// Errors: BadInput if no port leads there any more.
#pragma once

#include <vector>

#include "topology/topology.h"

namespace fredsim {

int nic_port(const Topology& topology, NodeId from, NodeId to, int spread);
// Ports that `spread` chooses from, in order, if they are not all ports.
std::vector<int> chosen_nic_ports(const Topology& topology, NodeId from, NodeId to);
// Returns true if a port leads there.
bool has_nic_port(const Topology& topology, NodeId from, NodeId to);

}  // namespace fredsim
