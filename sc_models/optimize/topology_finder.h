// SPDX-License-Identifier: Apache-2.0
// TopologyFinder of TopoOpt (NSDI 2023, algorithm 1): a network without switches for the traffic of
// a job, each node with `degree` interfaces.
//
// Interfaces: an interface sends to one node and receives from one, possibly a different one (its
//   two fibres end at a patch panel).
// Split: of d interfaces ceil(d x bytes of rings / all bytes), at least 1, are for rings, the
//   rest for pairs. Ring interfaces are assigned to the sets of groups in proportion to their
//   bytes, rounded up, most bytes first, until none remains.
// Rings: a set with k interfaces gets k jumps (optimize/jump_rings.h); a group with fewer jumps
//   repeats them in parallel. With links both ways a jump takes two interfaces.
// Pairs: an interface each, by rounds of matchings (optimize/node_pairs.h); both ways.
// Connectivity: if the network is not strongly connected, one interface is reassigned to a ring of
//   all nodes by number. It is the last jump of the set with the most jumps; if no set has two
//   jumps, the last matching; without matchings the only jump of the set with the fewest bytes. The
//   paper only requires a connected network.
// Errors: BadInput if the degree is 0, is not below the number of nodes, or is 1 with links both
//   ways.
#pragma once

#include <vector>

#include "optimize/direct_network.h"
#include "optimize/job_demand.h"
#include "optimize/jump_rings.h"

namespace fredsim {

struct FinderOptions {
  int degree = 4;
  JumpKind kind{};
};

struct RingSet {
  std::vector<std::vector<int>> groups{};
  std::vector<int> jumps{};  // a jump listed twice has two parallel links
};

struct DirectTopology {
  DirectNetwork network{0};
  JumpKind kind{};
  int ring_interfaces = 0, pair_interfaces = 0;
  std::vector<RingSet>
      rings{};  // sets with jumps; the ring of all nodes that joins them, if any, last
  bool has_joining_ring = false;
  std::vector<std::vector<NodePair>> matchings{};  // by round
};

void check_degree(const FinderOptions& options, int nodes);

DirectTopology find_topology(const JobDemand& demand, const FinderOptions& options);

// Rings of all nodes alone. BadInput, too, where there are fewer jumps than the degree.
DirectTopology ring_topology(int nodes, const FinderOptions& options);

}  // namespace fredsim
