// SPDX-License-Identifier: Apache-2.0
// Network files of ASTRA-sim's analytical network backend (astra-network-analytical,
// common/network-parser): lists with a value per dimension, lowest first.
//
//   topology: [ Ring, FullyConnected, Switch ]
//   npus_count: [ 2, 8, 4 ]             2 or more
//   bandwidth: [ 200.0, 100.0, 50.0 ]   of one link, as in its congestion-aware model; 2^30 bytes/s
//   latency: [ 50.0, 500.0, 2000.0 ]    of one link, ns
// An NPU has two links on a ring, which goes both ways (one on a ring of two), one to each other
//   one where all are joined, one to a switch.
// Newer files: Mesh is a line, a ring that is not closed. Torus2D and Mesh2D are square grids, of
//   npus_count NPUs row by row, and are read as two dimensions, of rings or of lines. KingMesh2D
//   (KingMesh) is a square grid in which NPUs have links to their neighbours along diagonals, too;
//   it is read as a graph, and has to be the only dimension.
// Errors: BadInput with file and line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "topology/dimensions/dimensions.h"
#include "topology/graph/graph.h"

namespace fredsim {

struct NetworkFile {
  std::vector<DimensionSpec> dimensions{};
  std::optional<GraphSpec> graph{};  // in place of dimensions
};

NetworkFile read_network_file(const std::string& path);

}  // namespace fredsim
