// SPDX-License-Identifier: Apache-2.0
#include "topology/graph/graph_bisection.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/push_relabel_max_flow.hpp>
#include <deque>
#include <numeric>
#include <utility>

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

// `back`: capacity of the other direction.
void add_edge(FlowGraph& graph, int from, int to, Capacity capacity, Capacity back) {
  const Edge there = boost::add_edge(from, to, EdgeFacts{.capacity = capacity}, graph).first;
  const Edge here = boost::add_edge(to, from, EdgeFacts{.capacity = back}, graph).first;
  graph[there].reverse = here;
  graph[here].reverse = there;
}

// NPUs by their distance from one.
std::vector<int> nearest_first(const Topology& topology,
                               const std::vector<std::vector<NodeId>>& next, int start) {
  std::vector<int> number(topology.nodes.size(), -1);
  for (int i = 0; i < std::ssize(topology.npus); ++i) number[topology.npus[i]] = i;
  std::vector<bool> seen(topology.nodes.size());
  std::deque<NodeId> open{topology.npus[start]};
  seen[open.front()] = true;
  std::vector<int> order;
  while (!open.empty()) {
    const NodeId at = open.front();
    open.pop_front();
    if (number[at] >= 0) order.push_back(number[at]);
    for (const NodeId to : next[at]) {
      if (seen[to]) continue;
      seen[to] = true;
      open.push_back(to);
    }
  }
  return order;
}

std::vector<bool> first_half(const std::vector<int>& order) {
  std::vector<bool> is_low(order.size());
  for (std::size_t i = 0; i < order.size() / 2; ++i) is_low[order[i]] = true;
  return is_low;
}

}  // namespace

std::uint64_t least_cut(const Topology& topology, const std::vector<bool>& is_low) {
  const auto nodes = static_cast<int>(topology.nodes.size());
  const int source = nodes, sink = nodes + 1;
  FlowGraph graph(static_cast<std::size_t>(nodes) + 2);
  Capacity all = 1;
  for (const Link& link : topology.links) {
    if (!topology.one_way && link.from > link.to) continue;  // with the other direction
    const auto capacity = static_cast<Capacity>(link.bytes_per_second);
    add_edge(graph, link.from, link.to, capacity, topology.one_way ? 0 : capacity);
    all += capacity;
  }
  for (std::size_t i = 0; i < topology.npus.size(); ++i) {
    if (is_low[i]) {
      add_edge(graph, source, topology.npus[i], all, 0);
    } else {
      add_edge(graph, topology.npus[i], sink, all, 0);
    }
  }
  return static_cast<std::uint64_t>(boost::push_relabel_max_flow(
      graph, source, sink, get(&EdgeFacts::capacity, graph), get(&EdgeFacts::residual, graph),
      get(&EdgeFacts::reverse, graph), get(boost::vertex_index, graph)));
}

std::uint64_t graph_bisection(const Topology& topology) {
  std::vector<int> order(topology.npus.size());
  std::iota(order.begin(), order.end(), 0);
  std::uint64_t least = least_cut(topology, first_half(order));
  const auto npus = static_cast<int>(order.size());
  if (npus > kMaxSearchedNpus) return least;
  std::vector<std::vector<NodeId>> next(topology.nodes.size());
  for (const Link& link : topology.links) next[link.from].push_back(link.to);
  const int starts = std::min(npus, kSearchedStarts);
  for (int s = 0; s < starts; ++s) {
    const std::vector<int> nearest = nearest_first(topology, next, s * npus / starts);
    least = std::min(least, least_cut(topology, first_half(nearest)));
  }
  return least;
}

}  // namespace fredsim
