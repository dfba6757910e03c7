// SPDX-License-Identifier: Apache-2.0
// Chains of collectives with a root: two per part (and slice), each for half of the data, from or
// to the root around a ring of the members.
//
// Which way round the halves go, both the same way or one each, is computed: what takes the part
//   the shorter time, which is estimated as the flits that the whole plan puts on the busiest of
//   its links, sent without a gap, and the latencies of the links along its longest chain. On a
//   ring of single hops one goes each way, since no link then carries more than a half. Where both
//   ways meet on the same links anyway, as at the ports of a FRED tree's NPUs, both go the same
//   way: a chain then does not pay for the hop that closes the ring, and packets to one neighbour
//   do not wait behind packets to the other.
// Two ways on a FRED tree go by a virtual channel each, where the part has two (channels.h):
//   packets that wait for an uplink would hold up packets of the other way that stay below it. A
//   note says so.
#pragma once

#include <vector>

#include "collective/endpoint_trees.h"
#include "plan/plan.h"

namespace fredsim {

struct ChainSpec {
  int part = 0;           // part of the plan; its members, bytes, VC and root are set
  std::vector<int> ring;  // its ranks, in the order of the ring
  Roles roles = Roles::kFromRoot;
};

// Adds the trees of these parts to a plan that already has the trees of all other parts, and keeps
// them sorted by part.
void add_chains(const Topology& topology, const std::vector<ChainSpec>& chains, Plan& plan);

}  // namespace fredsim
