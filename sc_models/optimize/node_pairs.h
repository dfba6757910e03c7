// SPDX-License-Identifier: Apache-2.0
// Pairs of nodes that are given a link because of what they send to each other.
//
// Maximum-weight matching: pairs, no node in two of them, that send the most together (Edmonds'
//   algorithm; LEMON).
// Rounds: a matching per interface; after each, what its pairs still ask for is a half of what they
//   asked for before (TopoOpt, NSDI 2023, §4.2), so that a pair with much to send may get several
//   links and others get theirs.
// Result: the same on any machine. Pairs that send nothing get no link, so that interfaces may be
//   left over.
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

// `weights`: by pair, i * nodes + j for i < j, not negative, the others not looked at. Pairs of
// weight 0 are left out.
std::vector<NodePair> heaviest_matching(int nodes, const std::vector<std::int64_t>& weights);

// Weights are both directions together. Ascending.
std::vector<NodePair> heaviest_matching(const PairDemand& demand);

// By round.
std::vector<std::vector<NodePair>> matching_rounds(PairDemand demand, int rounds);

}  // namespace fredsim
