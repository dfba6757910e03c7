// SPDX-License-Identifier: Apache-2.0
#include "topology/least_cut.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/push_relabel_max_flow.hpp>

namespace fredsim {
namespace {

using Capacity = std::int64_t;
using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
using Edge = Traits::edge_descriptor;
struct EdgeFacts {
  Capacity capacity = 0, residual = 0;
  Edge reverse{};
};
using FlowGraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS,
                                        boost::no_property, EdgeFacts>;

// Adds an edge and a reverse edge without capacity: with capacity on both, Boost would not return
// flow that reaches a dead end.
void add_edge(FlowGraph& graph, int from, int to, Capacity capacity) {
  const Edge there = boost::add_edge(from, to, EdgeFacts{.capacity = capacity}, graph).first;
  const Edge back = boost::add_edge(to, from, EdgeFacts{}, graph).first;
  graph[there].reverse = back;
  graph[back].reverse = there;
}

}  // namespace

std::uint64_t least_cut(const Topology& topology, std::span<const NodeId> from,
                        std::span<const NodeId> to) {
  const auto nodes = static_cast<int>(topology.nodes.size());
  const int source = nodes, sink = nodes + 1;
  FlowGraph graph(static_cast<std::size_t>(nodes) + 2);
  Capacity all = 1;
  for (const Link& link : topology.links) {
    const auto capacity = static_cast<Capacity>(link.bytes_per_second);
    add_edge(graph, link.from, link.to, capacity);
    all += capacity;
  }
  for (const NodeId node : from) add_edge(graph, source, node, all);
  for (const NodeId node : to) add_edge(graph, node, sink, all);
  return static_cast<std::uint64_t>(boost::push_relabel_max_flow(
      graph, source, sink, get(&EdgeFacts::capacity, graph), get(&EdgeFacts::residual, graph),
      get(&EdgeFacts::reverse, graph), get(boost::vertex_index, graph)));
}

}  // namespace fredsim
