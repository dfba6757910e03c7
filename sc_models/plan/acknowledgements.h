// SPDX-License-Identifier: Apache-2.0
// Acknowledgements in the endpoint trees of a plan (TreeRank::acknowledge_sums and so on).
//
// A source that sees no results by itself, the leaf of a reduction without broadcast or the root of
// a broadcast, learns from acknowledgements how many packets have reached all receivers. An
// acknowledgement is a packet of one flit on the control VC. It is cumulative: one per
// Tree::acknowledge_packets packets. Acknowledgements travel back along the path of the data, and
// every rank combines the acknowledgements of its downstream ranks:
//   results: a rank acknowledges to its upstream rank the packets that it and all of its downstream
//   ranks have received;
//   sums: where a leaf needs acknowledgements, the root sends the same count to the ranks that send
//   it partial sums, and they forward it.
// An acknowledgement that no source waits for is not sent: the last one is that after which a
// source may have started all packets of the tree. All acknowledgements have therefore arrived
// before the last packets of a tree are sent, and short trees need none.
// Deadlock: an endpoint always accepts packets on the control VC, which carries only unicasts of
// one flit.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/plan.h"
#include "topology/topology.h"

namespace fredsim {

// Maximum of unacknowledged packets of a source that waits for acknowledgements: Part::window, plus
// the number by which acknowledgements may lag.
inline std::uint64_t acknowledged_window(const Part& part, const Tree& tree) {
  return static_cast<std::uint64_t>(part.window) + tree.acknowledge_packets - 1;
}

// True for a source that sees no result come back: it waits for acknowledgements.
bool waits_for_acknowledgements(const Tree& tree, const TreeRank& rank);

// Hop by which rank `from` acknowledges data to rank `to`: in a FRED tree by the port at which the
// data arrives.
Send acknowledgement_of(const Topology& topology, const std::vector<NodeId>& members, int from,
                        int to, const Send& data);

// Fills in the hops of acknowledgements in all trees that need them; trees of a box of rings
// already have them (plan/ring_box_trees.h).
void add_acknowledgements(const Topology& topology, Plan& plan);

// Number of packets that acknowledge a tree of `packets` packets to one rank.
std::uint64_t acknowledgements_of_one(const Part& part, const Tree& tree, std::uint64_t packets);
// Total number of packets by which a rank acknowledges the tree.
std::uint64_t acknowledgements(const Part& part, const Tree& tree, const TreeRank& rank,
                               std::uint64_t packets);

}  // namespace fredsim
