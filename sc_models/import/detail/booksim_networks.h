// SPDX-License-Identifier: Apache-2.0
// Networks of BookSim2 as graphs, wired as its sources do (src/networks).
//
// Names: n0, …, the nodes; r0, …, the routers. Links carry a flit per cycle.
// Errors: BadInput with file and line: a size that the network cannot have, lines of a listing that
//   are cut, a node at two routers, nodes that are not numbered from 0.
#pragma once

#include <string>

#include "import/detail/booksim_config.h"
#include "import/detail/noc_keys.h"

namespace fredsim {

struct BooksimNetwork {
  const BooksimConfig& config;
  const NocClock& clock;
  const std::string& path;
};

// Mesh or torus of any number of dimensions.
GraphSpec booksim_cube(const BooksimNetwork& network, bool is_torus);
GraphSpec booksim_cmesh(const BooksimNetwork& network);
GraphSpec booksim_flatfly(const BooksimNetwork& network);
GraphSpec booksim_fat_tree(const BooksimNetwork& network);
GraphSpec booksim_dragonfly(const BooksimNetwork& network);
GraphSpec booksim_quad_tree(const BooksimNetwork& network);
GraphSpec booksim_crossbar(const BooksimNetwork& network);  // fly of one stage
// Listing of links; notes of what a graph does not have.
GraphSpec booksim_anynet(const std::string& path, const std::string& text, const NocClock& clock,
                         ImportedMachine& machine);

}  // namespace fredsim
