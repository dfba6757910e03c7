// SPDX-License-Identifier: Apache-2.0
// Members of groups (base/member.h) on a topology: NPUs and I/O controllers.
#pragma once

#include <span>
#include <vector>

#include "topology/topology.h"

namespace fredsim {

// Nodes of a group's members. Errors: BadInput for a member that the machine does not have, for a
// duplicate member, and for an empty group.
std::vector<NodeId> members_of(const Topology& topology, const std::vector<int>& group);
int member_number(const Topology& topology, NodeId endpoint);

bool has_io(const Topology& topology, const std::vector<NodeId>& members);
bool are_on_grid(const Topology& topology, const std::vector<NodeId>& members);  // NPUs of one grid
// True where the group is exactly all NPUs of a grid.
bool is_whole_grid(const Topology& topology, const std::vector<NodeId>& members);
// Rate of the slowest link between these members and their switches, at NIC port `port`.
Rational slowest_port(const Topology& topology, std::span<const NodeId> members, int port);

// Outward face of a grid, as a direction (MeshPort), at which an I/O controller is attached.
int face_of(const Topology& topology, NodeId controller);

}  // namespace fredsim
