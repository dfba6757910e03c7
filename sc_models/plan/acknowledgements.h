// SPDX-License-Identifier: Apache-2.0
// Acknowledgements in the endpoint trees of a plan (TreeRank::acknowledge_sums and so on).
//
// A source that sees no results by itself, the leaf of a reduction without broadcast or the root of
//   a broadcast, learns by
// acknowledgements how many packets have reached all receivers: packets of one flit on the control
//   VC, cumulative, one per
// Tree::acknowledge_packets packets. They go back along the path of the data, and every rank puts
//   together what those
// after it say:
//   results: a rank tells the one that it has results from how many have come to it and to all that
//   it passes them on to;
//   sums: where a leaf needs to know, the root tells the same to those that it has partial sums
//   from, and they pass it on.
// An acknowledgement that no source waits for is not sent: one after which a source may have
//   started all packets of the tree is the last. So all have come before the last packets of a tree
//   are sent, and short trees need none.
// Deadlock: an endpoint always takes what comes on the control VC, which carries nothing but
//   unicasts of one flit.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/plan.h"
#include "topology/topology.h"

namespace fredsim {

// Packets that a source that waits for acknowledgements may have sent beyond those acknowledged:
// Part::window, and as much more as acknowledgements may be behind.
inline std::uint64_t acknowledged_window(const Part& part, const Tree& tree) {
  return static_cast<std::uint64_t>(part.window) + tree.acknowledge_packets - 1;
}

// A source that sees no result come back: it waits for acknowledgements.
bool waits_for_acknowledgements(const Tree& tree, const TreeRank& rank);

// Hop by which rank `from` acknowledges data of `to`: in a FRED tree by the port that they come by.
Send acknowledgement_of(const Topology& topology, const std::vector<NodeId>& members, int from,
                        int to, const Send& data);

// Fills in who tells whom, in all trees that need it; trees of a box of rings have it
// (plan/ring_box_trees.h).
void add_acknowledgements(const Topology& topology, Plan& plan);

// Packets by which a tree of so many packets is acknowledged to one rank.
std::uint64_t acknowledgements_of_one(const Part& part, const Tree& tree, std::uint64_t packets);
// Packets that a rank sends to acknowledge it, in all.
std::uint64_t acknowledgements(const Part& part, const Tree& tree, const TreeRank& rank,
                               std::uint64_t packets);

}  // namespace fredsim
