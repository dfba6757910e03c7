// SPDX-License-Identifier: Apache-2.0
// The NIC port by which an endpoint sends a unicast, for any fabric.
//
// Routing by coordinates, in a grid of mesh routers: the port that faces the first hop
//   (routing/mesh_routing.h); `spread` is ignored.
// Routing by table, in a FRED tree: every port leads to every endpoint, each port by its own slice.
//   The port is `spread` (0 or more) modulo the number of ports. Packets through one port stay in
//   order; packets through different ports may overtake each other. If the chosen port does not
//   lead to the endpoint because of failed components (topology/faults.h), one of the ports that do
//   is taken.
// Paths of the topology (topology/unicast_paths.h): `spread` modulo the number of ports with
//   equally good paths selects one of these.
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
