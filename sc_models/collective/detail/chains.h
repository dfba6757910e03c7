// SPDX-License-Identifier: Apache-2.0
// Chains of collectives with a root: two per part (and slice), each for half of the data, from or
// to the root around a ring of the members.
//
// Direction: forwards or backwards around the ring, computed for each half. All three choices (both
//   forwards, both backwards, one each) are tried, and the one with the shortest estimated time is
//   taken: the transfer time of the busiest link of the part, with the flits of the whole plan on
//   it, plus the link latencies along the longest chain. On a ring of single hops the halves take
//   opposite directions, since no link then carries more than one half. If both directions share
//   links anyway, as at the NPU ports of a FRED tree, both halves take the same direction: the
//   chain then skips the hop that closes the ring, and packets to one neighbour do not wait behind
//   packets to the other.
// Virtual channels: on a FRED tree opposite directions use one channel each, if the part has two
//   (channels.h). On a shared channel, packets that wait for an uplink would block packets of the
//   other direction that stay below it. A note reports the two channels.
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
