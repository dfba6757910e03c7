// SPDX-License-Identifier: Apache-2.0
// Pairs of nodes that get a direct link, chosen by their mutual traffic.
//
// Maximum-weight matching: disjoint pairs with the maximum total traffic (Edmonds' algorithm;
//   LEMON).
// Rounds: a matching per interface; each halves the demand of its pairs (TopoOpt, NSDI 2023,
//   §4.2), so that a pair with a high demand may get several links without starving the remaining
//   pairs.
// Result: the same on any machine. Pairs without traffic get no link, so interfaces may remain
//   unused.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace fredsim {

using NodePair = std::pair<int, int>;  // the lower number first

// Bytes from node i to node j at i * nodes + j.
struct PairDemand {
  int nodes = 0;
  std::vector<double> bytes{};
  explicit PairDemand(int count = 0)
      : nodes(count), bytes(static_cast<std::size_t>(count) * static_cast<std::size_t>(count)) {}
  double& at(int from, int to) { return bytes[static_cast<std::size_t>(from) * nodes + to]; }
  double at(int from, int to) const { return bytes[static_cast<std::size_t>(from) * nodes + to]; }
  double total() const;
};

// `weights`: by pair, i * nodes + j for i < j, not negative; other entries are ignored. Pairs of
// weight 0 are left out.
std::vector<NodePair> heaviest_matching(int nodes, const std::vector<std::int64_t>& weights);

// Weights are both directions together. Ascending.
std::vector<NodePair> heaviest_matching(const PairDemand& demand);

// Matchings by round.
std::vector<std::vector<NodePair>> matching_rounds(PairDemand demand, int rounds);

}  // namespace fredsim
