// SPDX-License-Identifier: Apache-2.0
// multi_tree: collectives of a group that fills a rectangle of a mesh or torus, over combs:
// spanning trees of single hops that together put an equal load on all links of the rectangle.
//
// Comb: a line through the root cell, the spine, and from each cell of the spine a line across in
//   both directions, a tooth. A row spine has teeth along the columns, a column spine along the
//   rows. Sums go towards the root, results return over the same links. If a line is a ring (of a
//   torus), its two directions are equally long, or differ by one link, and the link opposite to
//   its entry is left out.
// all_reduce: on a mesh w × h a comb per row and per column, rooted in its middle; on a torus also
//   rooted at cells along it. A tree has N - 1 links and uses each in both directions, so on
//   average the trees put (N - 1) / E of the vector on each direction of the E links. comb_share()
//   is the share of the data on row spines for which all links carry exactly this load. No
//   all-reduce that adds in the NPUs can do better: it takes 2 (N - 1) transfers of every element
//   (N - 1 to bring N operands together, N - 1 to distribute the sum), over 2 E directions of
//   links. On 5 × 4 the load is 19/31 = 0.613 of the vector, where the hierarchical ring puts 0.95;
//   on a torus of 5 × 4 it is 19/40 = 0.475. The corner of a mesh has two links, which only require
//   0.5.
// reduce_scatter, all_gather: two combs per block, rooted at the rank of the block, with shares
//   balanced likewise. On rings of even length the longer path of neighbouring roots alternates
//   between the two directions; the balance there is within 11 %.
// reduce, broadcast, multicast: combs from or to their one root, on a mesh only.
// Deadlock: none. Every hop is a unicast of its own, from an NPU to its neighbour over one link. A
//   packet in the network only needs that link and its receiver, and NPUs accept all arrivals,
//   whether or not they can send (npu/npu.h), so that every packet leaves the network.
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
