// SPDX-License-Identifier: Apache-2.0
#include "topology/graph/graph_bisection.h"

#include <algorithm>
#include <deque>
#include <numeric>
#include <span>
#include <vector>

#include "topology/least_cut.h"

namespace fredsim {
namespace {

// NPUs by distance from one NPU.
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

// Minimum cut between the first half of an order of NPUs and the second.
std::uint64_t cut_of(const Topology& topology, const std::vector<int>& order) {
  std::vector<NodeId> nodes;
  for (const int npu : order) nodes.push_back(topology.npus[npu]);
  const std::span<const NodeId> all(nodes);
  return least_cut(topology, all.first(all.size() / 2), all.subspan(all.size() / 2));
}

}  // namespace

std::uint64_t graph_bisection(const Topology& topology) {
  std::vector<int> order(topology.npus.size());
  std::iota(order.begin(), order.end(), 0);
  std::uint64_t least = cut_of(topology, order);
  const auto npus = static_cast<int>(order.size());
  if (npus > kMaxSearchedNpus) return least;
  std::vector<std::vector<NodeId>> next(topology.nodes.size());
  for (const Link& link : topology.links) next[link.from].push_back(link.to);
  const int starts = std::min(npus, kSearchedStarts);
  for (int s = 0; s < starts; ++s) {
    const std::vector<int> nearest = nearest_first(topology, next, s * npus / starts);
    least = std::min(least, cut_of(topology, nearest));
  }
  return least;
}

}  // namespace fredsim
