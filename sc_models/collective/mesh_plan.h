// All-reduce on a 2D mesh as trees of unicast packets between endpoints (§7.2).
//
// ring: one tree per owner k of a logical ring. Reduction: a chain from the rank after k around the
//   ring to k; broadcast: from k around the ring to the rank before k. Every rank sends 2(N-1)/N of
//   the vector in all; the ring runs in one direction.
// hier_ring: the hierarchical 2D ring in its two dimension orders at once. Tree of owner (i, j),
//   rows first: in every row a chain from column i+1 east around the row's ring to column i, then
//   down column i from row j+1 around to (i, j); the result goes around column i and from there
//   around every row. Columns first is the same transposed. On a line of n routers the ring's n-1
//   forward hops use each forward link once and the hop that closes it uses each backward link
//   once, so all directed links of a line carry the same load whether the ring runs one way or the
//   other: running half of the trees backwards would change nothing, and all of them run forwards.
//
// Packets of different owners and of one owner pipeline freely, so all levels overlap.
#pragma once

#include <cstdint>
#include <vector>

#include "base/rational.h"
#include "collective/plan.h"

namespace fredsim {

// Part of the vector that goes rows first so that row and column links carry the same load:
// (w(h-1) - (w-1)) / (2(w-1)(h-1)) for w columns and h rows, both > 1; 11/24 on 5 × 4.
Rational rows_first_share(int width, int height);

// Cells (y * width + x) of a mesh in the order of a ring with single-hop edges: a Hamiltonian cycle
// where one exists (both sides > 1, one of them even), else a snake that X-Y closes.
std::vector<int> mesh_ring(int width, int height);

// `ring` = ranks in ring order.
std::vector<Tree> ring_trees(const Topology& topology, const std::vector<NodeId>& members,
                             const std::vector<int>& ring, std::uint64_t flits);

// `members` = all NPUs of the mesh in any order, width and height > 1.
std::vector<Tree> hier_ring_trees(const Topology& topology, const std::vector<NodeId>& members,
                                  std::uint64_t flits);

// Rank of every cell (y * width + x) where `members` are all NPUs of the mesh.
std::vector<int> ranks_by_cell(const Topology& topology, const std::vector<NodeId>& members);

}  // namespace fredsim
