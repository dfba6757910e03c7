// SPDX-License-Identifier: Apache-2.0
// multi_tree where no combs fit (collective/detail/multi_tree.h): all-reduces of a group of NPUs of
//   a grid that fills no rectangle, or on links that are not alike, since components have failed
//   (topology/faults.h).
//
// Hops: from a member to another that is a link or two away by no other member's router; links of
//   all hops between two members, there and back, carry the sums and results of a tree with that
//   hop. A router without a member only forwards.
// Packing: 1 to 16 spanning trees of these hops, each for an equal share of the vector, so many
//   that the busiest link, by what it carries over its rate, is minimal; more trees only for half a
//   per cent less. A tree begins as short paths from the member that is nearest to all, past loaded
//   links. Then hops over the busiest links are replaced by hops that connect the same two parts of
//   a tree and have spare capacity, up to three in a chain where each takes the place of the next;
//   finally, hops are replaced by hops that shorten a tree. Above 64 members: no chains, and 1, 2,
//   4, 8 or 16 trees as they are. Root of a tree: the middle of its longest path.
// Quality: the busiest link of 60 random groups of 3 to 9 has at most 1.1 times what any trees
//   need, by the partition bound of Nash-Williams and Tutte
//   (tests/collective/packed_trees_test.cpp).
// Cost: tens of milliseconds for 20 members, a second and a half for 1023.
// Deadlock: none. Every hop is a unicast by itself, as in multi_tree.h.
// Source: none in the paper, whose mesh has rings alone.
#pragma once

#include <utility>
#include <vector>

#include "topology/topology.h"

namespace fredsim {

inline constexpr int kMaxPackedTrees = 16;

struct PackedTree {
  int root = 0;                           // ranks
  std::vector<std::pair<int, int>> hops;  // (above, below), from the root outwards
};

// True where all links between routers have one rate, and all links between NPUs and routers.
bool grid_is_even(const Topology& topology);
// True where hops connect all members.
bool can_pack_trees(const Topology& topology, const std::vector<NodeId>& members);
// Two members or more, which can_pack_trees().
std::vector<PackedTree> packed_trees(const Topology& topology, const std::vector<NodeId>& members);

}  // namespace fredsim
