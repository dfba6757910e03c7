// SPDX-License-Identifier: Apache-2.0
// LEMON's headers use std::allocator::construct, which C++20 removed: only this file is C++17.
#include <lemon/matching.h>
#include <lemon/smart_graph.h>

#include "optimize/node_pairs.h"

namespace fredsim {

std::vector<NodePair> heaviest_matching(int nodes, const std::vector<std::int64_t>& weights) {
  lemon::SmartGraph graph;
  graph.reserveNode(nodes);
  for (int i = 0; i < nodes; ++i) graph.addNode();
  std::vector<std::int64_t> of_edge;
  for (int i = 0; i < nodes; ++i) {
    for (int j = i + 1; j < nodes; ++j) {
      const std::int64_t weight = weights[static_cast<std::size_t>(i) * nodes + j];
      if (weight == 0) continue;
      graph.addEdge(lemon::SmartGraph::nodeFromId(i), lemon::SmartGraph::nodeFromId(j));
      of_edge.push_back(weight);
    }
  }
  lemon::SmartGraph::EdgeMap<std::int64_t> weight_map(graph);
  for (std::size_t e = 0; e < of_edge.size(); ++e)
    weight_map[lemon::SmartGraph::edgeFromId(static_cast<int>(e))] = of_edge[e];
  lemon::MaxWeightedMatching<lemon::SmartGraph, lemon::SmartGraph::EdgeMap<std::int64_t>> matching(
      graph, weight_map);
  matching.run();
  std::vector<NodePair> pairs;
  for (int i = 0; i < nodes; ++i) {
    const auto mate = matching.mate(lemon::SmartGraph::nodeFromId(i));
    if (mate == lemon::INVALID) continue;
    if (const int j = lemon::SmartGraph::id(mate); i < j) pairs.emplace_back(i, j);
  }
  return pairs;
}

}  // namespace fredsim
