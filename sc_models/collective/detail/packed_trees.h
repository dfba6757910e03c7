// SPDX-License-Identifier: Apache-2.0
// multi_tree where no combs fit (collective/detail/multi_tree.h): all-reduces of a group of grid
// NPUs that fills no rectangle, or whose links differ because components have failed
// (topology/faults.h).
//
// Hops: a hop connects two members that are one or two links apart, and passes no other member's
//   router. The links of the hop in both directions carry the sums and results of the trees that
//   use it. A router without a member only forwards.
// Packing: 1 to 16 spanning trees of these hops, each for an equal share of the vector. The number
//   of trees minimises the time of the busiest link, load over rate; a larger number must reduce it
//   by at least half a per cent. A tree starts as short paths from the member that is nearest to
//   all members, avoiding loaded links. Hops over the busiest links are then replaced by hops with
//   spare capacity that connect the same two parts of a tree, in chains of up to three
//   replacements; finally, replacements that shorten a tree are made. Above 64 members there are no
//   chains, and only 1, 2, 4, 8 or 16 trees are tried. Root of a tree: the middle of its longest
//   path.
// Quality: over 60 random groups of 3 to 9 members the busiest link carries at most 1.1 times the
//   minimum for any trees, by the partition bound of Nash-Williams and Tutte
//   (tests/collective/packed_trees_test.cpp).
// Cost: tens of milliseconds for 20 members, a second and a half for 1023.
// Deadlock: none. Every hop is a unicast of its own, as in multi_tree.h.
// Source: not in the paper, whose mesh only has rings.
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
