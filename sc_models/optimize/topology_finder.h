// SPDX-License-Identifier: Apache-2.0
// TopologyFinder of TopoOpt (NSDI 2023, algorithm 1): a network without switches for the traffic of
// a job, each node with `degree` interfaces.
//
// Interfaces: an interface sends to one node and receives from one, which may be another one (its
//   two fibres end at a patch panel).
// Split: of d interfaces ceil(d x bytes of rings / all bytes), at least 1, are for rings, the
//   others for pairs. Those for rings are dealt out to the sets of groups in proportion to their
//   bytes, rounded up, most bytes first, until none is left.
// Rings: of a set with k interfaces k jumps (optimize/jump_rings.h); a group that has fewer jumps
//   takes them again, in parallel. Both ways a jump takes two interfaces.
// Pairs: an interface each, by rounds of matchings (optimize/node_pairs.h); both ways.
// Joined: where not each node can be reached from each, the set with the most jumps gives its last
//   one, or where none has two and there are matchings the last of these goes, or the lightest set
//   gives its only one, for a ring of all nodes by number. The paper says no more than that the
//   network must be connected.
// Errors: BadInput where the degree is not below the number of nodes, or is 0, or both ways 1.
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
  std::vector<int> jumps{};  // one that is there twice has two links in parallel
};

struct DirectTopology {
  DirectNetwork network{0};
  JumpKind kind{};
  int ring_interfaces = 0, pair_interfaces = 0;
  std::vector<RingSet>
      rings{};  // those with jumps; the ring of all nodes that joins them, if any, last
  bool has_joining_ring = false;
  std::vector<std::vector<NodePair>> matchings{};  // by round
};

void check_degree(const FinderOptions& options, int nodes);

DirectTopology find_topology(const JobDemand& demand, const FinderOptions& options);

// Rings of all nodes alone. BadInput, too, where there are fewer jumps than the degree.
DirectTopology ring_topology(int nodes, const FinderOptions& options);

}  // namespace fredsim
