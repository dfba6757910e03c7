// multi_tree where no combs fit (collective/multi_tree.h): all-reduces of a group of NPUs of a grid that fills no rectangle, or on
//   links that are not alike, since parts are lost (topology/faults.h).
//
// Hops: from a member to another that is a link or two away by no other member's router; links of all hops between two members,
//   there and back, carry what a tree with that hop brings up and down. A router without a member only forwards.
// Packing: 1 to 16 spanning trees of these hops, each for an equal share of the vector, so many that the busiest link, by what it
//   carries over its rate, has the least. Trees are short ways from the member that is nearest to all, past loaded links; then
//   hops over the busiest links give way to others while one of a lesser load joins the same two parts of the tree. Root of a tree:
//   the middle of its longest path. On 5 x 4 without an NPU a link carries within 5 % of (N - 1) / E of the vector at best, by any
//   trees; E: links between members.
// Deadlock: none, as in multi_tree.h.
// Not reproduced: no such algorithm is in the paper.
#pragma once

#include <utility>
#include <vector>

#include "topology/topology.h"

namespace fredsim {

inline constexpr int kMostPackedTrees = 16;

struct PackedTree {
  int root = 0;                           // ranks
  std::vector<std::pair<int, int>> hops;  // (above, below), from the root outwards
};

// All links between routers are of one rate, and all between NPUs and routers.
bool grid_is_even(const Topology& topology);
// Hops join all members.
bool can_pack_trees(const Topology& topology, const std::vector<NodeId>& members);
// Two members or more, which can_pack_trees().
std::vector<PackedTree> packed_trees(const Topology& topology, const std::vector<NodeId>& members);

}  // namespace fredsim
