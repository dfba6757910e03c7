// SPDX-License-Identifier: Apache-2.0
// Members of groups (base/member.h) on a topology: NPUs and I/O controllers.
#pragma once

#include <span>
#include <vector>

#include "topology/topology.h"

namespace fredsim {

// Errors: BadInput for a member that the machine does not have, or one that is there twice; for no
// member at all.
std::vector<NodeId> members_of(const Topology& topology, const std::vector<int>& group);
int member_number(const Topology& topology, NodeId endpoint);

bool has_io(const Topology& topology, const std::vector<NodeId>& members);
bool are_on_grid(const Topology& topology, const std::vector<NodeId>& members);  // NPUs of one
// All NPUs of a grid, and nobody else.
bool is_whole_grid(const Topology& topology, const std::vector<NodeId>& members);
// The slowest link between these and their switches, by NIC port `port`.
Rational slowest_port(const Topology& topology, std::span<const NodeId> members, int port);

// The outward face of a grid that an I/O controller is on, a direction (MeshPort).
int face_of(const Topology& topology, NodeId controller);

}  // namespace fredsim
