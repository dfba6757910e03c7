// SPDX-License-Identifier: Apache-2.0
// Lists of nodes and links of a graph, in a machine file or in one of their own.
//
//   nodes:                     links:
//     - name: a                  - from: a             all nodes called so, with all of `to`
//       kind: npu                  to: s
//       count: 4   a0 … a3         bandwidth: 50 GB/s
//     - name: s                    latency: 500 ns
//       kind: switch               count: 2            in parallel
//                                one_way: true       from `from` to `to` alone
// Errors: BadInput with file and line.
#pragma once

#include <string>

#include "topology/fabric_keys.h"
#include "topology/graph/graph.h"

namespace fredsim {

// fabric.nodes and fabric.links.
GraphSpec read_graph(const FabricKeys& keys);
// A file with the keys nodes and links.
GraphSpec read_graph_file(const std::string& path);

}  // namespace fredsim
