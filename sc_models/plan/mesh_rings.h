// SPDX-License-Identifier: Apache-2.0
// The rings of a 2D mesh (§7.2).
//
// hier_ring on a whole mesh runs in the two dimension orders at once. On a line of n routers the
// ring's n-1 forward hops use each forward link once and the hop that closes it uses each backward
// link once, so all directed links of a line carry the same load whether the ring runs one way or
// the other: running half of the trees backwards would change nothing, and all of them run
// forwards.
#pragma once

#include <cstdint>
#include <vector>

#include "base/rational.h"
#include "plan/ring_box.h"
#include "topology/topology.h"

namespace fredsim {

// Part of the vector that goes rows first so that row and column links carry the same load:
// (w(h-1) - (w-1)) / (2(w-1)(h-1)) for w columns and h rows, both > 1; 11/24 on 5 × 4.
Rational rows_first_share(int width, int height);

// Share of `flits` for the rows-first rings, to the nearest flit.
std::uint64_t rows_first_flits(int width, int height, std::uint64_t flits);

// Cells (y * width + x) of a mesh in the order of a ring with single-hop edges: a Hamiltonian cycle
// where one exists (both sides > 1, one of them even), else a snake that X-Y closes.
std::vector<int> mesh_ring(int width, int height);

// The whole mesh, `members` being all its NPUs in any order, as a box: rows first and columns
// first.
RingBox rows_first_box(const Topology& topology, const std::vector<NodeId>& members);
RingBox columns_first_box(const Topology& topology, const std::vector<NodeId>& members);

// Cell of owner `k` of all cells: along diagonals, so that any few owners that are evenly spaced in
// k lie in different rows and columns.
int diagonal_cell(int width, int height, int k);
// Position of cell y * width + x in the columns-first box.
int columns_first_position(int width, int height, int cell);

}  // namespace fredsim
