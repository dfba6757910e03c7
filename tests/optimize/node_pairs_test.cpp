// SPDX-License-Identifier: Apache-2.0
// Matchings against all there are, and rounds of them.
#include "optimize/node_pairs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/random.h"
#include "support/random_range.h"

namespace fredsim {
namespace {

using Weights = std::vector<std::int64_t>;

std::int64_t heaviest_of_all(int nodes, const Weights& weights, unsigned used) {
  int first = 0;
  while (first < nodes && (used >> first & 1U) != 0) ++first;
  if (first == nodes) return 0;
  std::int64_t best = heaviest_of_all(nodes, weights, used | 1U << first);
  for (int other = first + 1; other < nodes; ++other) {
    if ((used >> other & 1U) != 0) continue;
    best = std::max(best, weights[first * nodes + other] +
                              heaviest_of_all(nodes, weights, used | 1U << first | 1U << other));
  }
  return best;
}

std::int64_t weight_of(const std::vector<NodePair>& pairs, int nodes, const Weights& weights) {
  std::set<int> used;
  std::int64_t sum = 0;
  for (const auto& [i, j] : pairs) {
    EXPECT_LT(i, j);
    EXPECT_TRUE(used.insert(i).second && used.insert(j).second);
    EXPECT_GT(weights[i * nodes + j], 0);
    sum += weights[i * nodes + j];
  }
  return sum;
}

TEST(NodePairs, MatchingsAreTheHeaviestOfAll) {
  constexpr std::uint64_t kSeed = 45;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  Random random(kSeed);
  for (int round = 0; round < 300; ++round) {
    const int nodes = test::random_between(random, 2, 10);
    const std::uint64_t zeros = random.below(4);
    Weights weights(static_cast<std::size_t>(nodes * nodes));
    for (std::int64_t& weight : weights)
      weight = random.below(4) < zeros ? 0 : test::random_between<std::int64_t>(random, 1, 1000);
    SCOPED_TRACE(testing::Message() << "round " << round << ", " << nodes << " nodes");
    ASSERT_EQ(weight_of(heaviest_matching(nodes, weights), nodes, weights),
              heaviest_of_all(nodes, weights, 0));
  }
}

TEST(NodePairs, HaveTheirDemandHalvedAfterEachRound) {
  PairDemand demand(4);
  demand.at(0, 1) = 50;
  demand.at(1, 0) = 50;
  demand.at(2, 0) = 60;
  demand.at(1, 3) = 10;
  const std::vector<NodePair> straight{{0, 1}}, crossed{{0, 2}, {1, 3}};
  // 100 against 70; then 50 against 70, then 50 against 35.
  EXPECT_EQ(matching_rounds(demand, 3),
            (std::vector<std::vector<NodePair>>{straight, crossed, straight}));
}

TEST(NodePairs, ThatSendNothingGetNoLink) {
  EXPECT_TRUE(heaviest_matching(PairDemand(6)).empty());
  EXPECT_EQ(matching_rounds(PairDemand(6), 2).size(), 2U);
}

}  // namespace
}  // namespace fredsim
