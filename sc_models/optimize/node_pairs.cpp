// SPDX-License-Identifier: Apache-2.0
#include "optimize/node_pairs.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace fredsim {
namespace {

// Weights are whole numbers, so that matchings do not depend on rounding; the largest one is this.
constexpr double kLargestWeight = 1ULL << 40;

}  // namespace

double PairDemand::total() const { return std::accumulate(bytes.begin(), bytes.end(), 0.0); }

std::vector<NodePair> heaviest_matching(const PairDemand& demand) {
  const auto both = [&](int i, int j) { return demand.at(i, j) + demand.at(j, i); };
  double largest = 0;
  for (int i = 0; i < demand.nodes; ++i)
    for (int j = i + 1; j < demand.nodes; ++j) largest = std::max(largest, both(i, j));
  if (largest <= 0) return {};
  std::vector<std::int64_t> weights(demand.bytes.size());
  for (int i = 0; i < demand.nodes; ++i)
    for (int j = i + 1; j < demand.nodes; ++j)
      weights[static_cast<std::size_t>(i) * demand.nodes + j] =
          std::llround(both(i, j) / largest * kLargestWeight);
  return heaviest_matching(demand.nodes, weights);
}

std::vector<std::vector<NodePair>> matching_rounds(PairDemand demand, int rounds) {
  std::vector<std::vector<NodePair>> all;
  for (int round = 0; round < rounds; ++round) {
    all.push_back(heaviest_matching(demand));
    for (const auto& [i, j] : all.back()) {
      demand.at(i, j) /= 2;
      demand.at(j, i) /= 2;
    }
  }
  return all;
}

}  // namespace fredsim
