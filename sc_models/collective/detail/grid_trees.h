// SPDX-License-Identifier: Apache-2.0
// Reduction trees of a group on a mesh whose routers add: the links of its data
// (collective/in_switch_plan.h).
//
// A tree has a root router. Rows first: from every member's router along its row to the root's
//   column, then along that column to the root; columns first likewise. Routers on the way are
//   nodes without members. Results take the same links back. Each link carries the data once in
//   each direction that the collective needs.
// Ports: ports of MeshPlace; members hang on the local port that their NIC port leads to. Why trees
// cannot deadlock: of the groups that are under way together on a virtual channel no two
//   have a port in one direction in common (slice_router.cpp), and unicasts of that channel wait
//   until they are done (plan.cpp). So a buffer holds packets of one group alone, all of them on
//   their way up or all on their way down, in the order in which its members send them
//   (plan/plan.h). A packet that a join waits for is therefore never behind a packet of another
//   group: it comes from the next routers below, and originally from NPUs, which send. The way up
//   ends at the root; on the way down there are no joins, and NPUs accept all packets. A packet
//   leaves a buffer when the next one has room for all of it, and a phase stays until the tails of
//   its packets. Other virtual channels have buffers of their own; a phase without flits yields to
//   a phase of another channel.
#pragma once

#include <functional>

#include "collective/detail/reduction_tree.h"

namespace fredsim {

// Calls `visit` with trees on `lowest` (lowest_nodes()) until it returns true; false when it never
// did.
//
// The root of the first one is the router of the only member that contributes, or receives, or
// where there are several of both the middle of the box around the members. Then come the other
// columns of that box, and with columns first its rows, the nearest to that root first.
bool visit_grid_trees(const Topology& topology, const ReductionTree& lowest,
                      const GroupRoles& roles,
                      const std::function<bool(const ReductionTree&)>& visit);

}  // namespace fredsim
