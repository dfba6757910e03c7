// SPDX-License-Identifier: Apache-2.0
// Rings of a 2D mesh (§7.2).
//
// hier_ring on a whole mesh runs in both dimension orders at once. On a line of n routers the
// ring's n-1 forward hops use each forward link once, and the closing hop uses each backward link
// once. All directed links of a line therefore carry the same load in either direction of the ring:
// running half of the trees backwards would change nothing, and all of them run forwards.
#pragma once

#include <cstdint>
#include <vector>

#include "base/rational.h"
#include "plan/ring_box.h"
#include "topology/topology.h"

namespace fredsim {

// Share of the vector that goes rows first such that row and column links carry the same load:
// (w(h-1) - (w-1)) / (2(w-1)(h-1)) for w columns and h rows, both > 1; 11/24 on 5 × 4.
Rational rows_first_share(int width, int height);

// Share of `flits` for the rows-first rings, to the nearest flit.
std::uint64_t rows_first_flits(int width, int height, std::uint64_t flits);

// Cells (y * width + x) of a mesh in the order of a ring with single-hop edges: a Hamiltonian cycle
// where one exists (both sides > 1, one of them even), else a snake that X-Y closes.
std::vector<int> mesh_ring(int width, int height);

// Boxes of the whole mesh, rows first and columns first; `members` are all of its NPUs in any
// order.
RingBox rows_first_box(const Topology& topology, const std::vector<NodeId>& members);
RingBox columns_first_box(const Topology& topology, const std::vector<NodeId>& members);

// Cell of owner `k` of all cells: along diagonals, so that a few owners that are evenly spaced in k
// lie in different rows and columns.
int diagonal_cell(int width, int height, int k);
// Position of cell y * width + x in the columns-first box.
int columns_first_position(int width, int height, int cell);

}  // namespace fredsim
