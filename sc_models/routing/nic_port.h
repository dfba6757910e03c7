// SPDX-License-Identifier: Apache-2.0
// The NIC port by which an endpoint sends a unicast, whatever the fabric.
//
// By coordinates, in a grid of mesh routers: the port that faces the first hop (routing/mesh_routing.h); `spread` is not looked
//   at.
// By table, in a FRED tree: any port leads to every endpoint, by slices of their own; `spread`, 0 or more, chooses: port
//   spread modulo the number of ports. Packets by one port stay in order, those by several may overtake
//   each other. If slices have failed components (topology/faults.h) and that one does not lead there, one of those that do.
// Paths of its own (topology/unicast_paths.h): port `spread` of all ports whose paths are equally good, modulo their number.
// Errors: BadInput where none leads there any more.
#pragma once

#include <vector>

#include "topology/topology.h"

namespace fredsim {

int nic_port(const Topology& topology, NodeId from, NodeId to, int spread);
// All of them that `spread` chooses from, in order, where they are not all that there are.
std::vector<int> chosen_nic_ports(const Topology& topology, NodeId from, NodeId to);
// True if one does.
bool has_nic_port(const Topology& topology, NodeId from, NodeId to);

}  // namespace fredsim
