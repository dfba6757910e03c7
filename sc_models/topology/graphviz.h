// SPDX-License-Identifier: Apache-2.0
// A topology as a graph in the language DOT of Graphviz.
//
// Nodes: NPUs are boxes, switches ellipses, I/O controllers diamonds, adders triangles. An edge is
//   all links between two nodes, labelled with their number and bandwidth per direction: undirected
//   if as many lead either way, else directed. Links on a die are dotted, failed nodes dashed. A
//   system is one block of each of its dimensions, in a cluster of its own.
// Never throws.
#pragma once

#include <string>

#include "topology/topology.h"

namespace fredsim {

std::string graphviz(const Topology& topology);

}  // namespace fredsim
