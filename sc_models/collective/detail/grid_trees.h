// SPDX-License-Identifier: Apache-2.0
// Reduction trees of a group on a mesh whose routers add: the links that its data crosses
// (collective/in_switch_plan.h).
//
// Shape: a tree has a root router. Rows first: from the router of every member along its row to the
//   root's column, then along that column to the root; columns first likewise. Routers on the path
//   are nodes without members. Results return over the same links. Each link carries the data once
//   in each direction that the collective needs.
// Ports: numbered as in MeshPlace; a member is attached at the local port that its NIC port leads
//   to.
// Deadlock: none. Groups that are in flight together on a virtual channel share no port in the same
//   direction (slice_router.cpp), and unicasts of that channel wait until the groups are complete
//   (plan.cpp). So a buffer holds packets of one group only, either all on the way up or all on the
//   way down, in the order in which its members send them (plan/plan.h). A packet that a join waits
//   for is therefore never behind a packet of another group: it comes from the next routers below,
//   and originally from NPUs, which send. The way up ends at the root; on the way down there are no
//   joins, and NPUs accept all packets. A packet leaves a buffer when the next buffer has room for
//   all of it, and a phase stays in use until the tails of its packets have passed. Other virtual
//   channels have buffers of their own, and a phase without flits yields to a phase of another
//   channel.
#pragma once

#include <functional>

#include "collective/detail/reduction_tree.h"

namespace fredsim {

// Calls `visit` with trees on `lowest` (lowest_nodes()) until it returns true. Returns false if it
// never did.
//
// Root of the first tree: the router of the only member that contributes, or of the only one that
// receives; with several of both, the middle of the box around the members. The next trees have the
// other columns of that box, and with columns first its rows, nearest to the first root first.
bool visit_grid_trees(const Topology& topology, const ReductionTree& lowest,
                      const GroupRoles& roles,
                      const std::function<bool(const ReductionTree&)>& visit);

}  // namespace fredsim
