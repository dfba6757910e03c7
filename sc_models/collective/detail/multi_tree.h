// SPDX-License-Identifier: Apache-2.0
// multi_tree: collectives of a group that fills a rectangle of a mesh or torus, over combs,
//   spanning trees of single hops that together load all links of the rectangle alike.
//
// Comb: a line through the root cell, the spine, and from each of its cells a line across, a tooth,
//   both ways from there; a row spine has teeth along the columns, a column spine along the rows.
//   Sums go towards the root, results back over the same links the other way. On a line that is a
//   ring (of a torus) both ways are equally long, or one is a link longer, and the link opposite to
//   where the line is entered is left out.
// all_reduce: on a mesh w × h a comb per row and per column, rooted in its middle, on a torus at
//   cells along it too. A tree has N - 1 links and uses each both ways, so that the trees put (N -
//   1) / E of the vector on each direction of the E links on average. comb_share() is the part of
//   the data on row spines for which all links carry just that. No all-reduce that adds in the NPUs
//   can do better: it takes 2 (N - 1) transfers of every element (N - 1 to bring N operands
//   together, N - 1 to distribute the sum), over 2 E directions of links. On 5 × 4 19/31 = 0.613 of
//   the vector, where the hierarchical ring puts 0.95; on a torus of 5 × 4 19/40 = 0.475. A corner
//   of a mesh has two links, which asks for 0.5 only.
// reduce_scatter, all_gather: each block has its rank for a root, two combs, with the share of each
//   balanced likewise; on rings of even length, where the longer path of neighbouring roots goes
//   one way and the other in turn, to 11 %.
// reduce, broadcast, multicast: the same from or to the one root, on a mesh only.
// The longest path is from a corner of the rectangle to the root and back, (w + h) / 2 to w + h
//   hops each way, about half of the rings'.
// Deadlock: none. Every hop is a unicast by itself, from one NPU to a neighbour, one link long: a
//   packet that has entered the network needs nothing but that link and its receiver, and NPUs take
//   in whatever arrives, whether or not they can send on (npu/npu.h), so that every packet in the
//   network leaves it.
#pragma once

#include <optional>
#include <vector>

#include "base/rational.h"
#include "collective/endpoint_trees.h"

namespace fredsim {

// A group of NPUs that fills a rectangle of a grid.
struct GridBox {
  int width = 1;
  int height = 1;
  bool ring_x = false;     // rows are rings
  bool ring_y = false;     // columns are
  std::vector<int> ranks;  // rank at cell y * width + x
};
// Empty where the group does not fill a rectangle, or the fabric is no grid.
std::optional<GridBox> grid_box(const Topology& topology, const std::vector<NodeId>& members);

struct Comb {
  int x = 0;  // root
  int y = 0;
  bool row_spine = true;
  bool longer_ahead = false;  // on rings of even length, the longer path is towards higher places
};

// The hops of a comb alone, or as a tree.
void add_comb(TreeBuilder& builder, const GridBox& box, const Comb& comb, Roles roles);
Tree comb_tree(TreeBuilder builder, const GridBox& box, const Comb& comb, Roles roles,
               const FlitRange& range);

// Share of the data on row spines. `blocks`: blocks of all ranks, each rooted at its rank;
// otherwise an all-reduce.
Rational comb_share(const GridBox& box, bool blocks);

// Combs of an all-reduce, sorted by path length, shortest first, each with its share of the vector.
struct WeightedComb {
  Comb comb;
  Rational weight;
};
std::vector<WeightedComb> all_reduce_combs(const GridBox& box);

// Flits of each comb: weight * flits, rounded down; the remaining flits go to the first combs, one
// each.
std::vector<std::uint64_t> comb_flits(const std::vector<WeightedComb>& combs, std::uint64_t flits);

}  // namespace fredsim
