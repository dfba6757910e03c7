// SPDX-License-Identifier: Apache-2.0
// Patterns of BookSim2 and Garnet: destinations against tables by hand, permutations that are some,
// draws over the nodes that they name.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/error.h"
#include "config/config.h"
#include "support/simulation.h"
#include "traffic/traffic_pattern.h"

namespace fredsim::test {
namespace {

using Ranks = std::vector<int>;

Topology grid(const std::string& kind, int width, int height) {
  return load_config("configs/" + kind + ".yaml",
                     {"npu.count=" + std::to_string(width * height),
                      "fabric.width=" + std::to_string(width),
                      "fabric.height=" + std::to_string(height), "io.count=0"})
      .topology;
}

Ranks partners_of(const PatternSpec& spec, const Topology& topology, std::uint64_t seed = 1) {
  const TrafficPattern pattern(spec, topology, seed);
  Random random(1);
  Ranks partners;
  for (int node = 0; node < pattern.nodes(); ++node)
    partners.push_back(pattern.sends(node) ? pattern.destination(node, random) : node);
  return partners;
}

Ranks counts_of(const PatternSpec& spec, const Topology& topology, int node, int draws) {
  const TrafficPattern pattern(spec, topology);
  Random random(3);
  Ranks counts(topology.npus.size());
  for (int i = 0; i < draws; ++i) ++counts[pattern.destination(node, random)];
  return counts;
}

bool is_permutation(Ranks ranks) {
  std::ranges::sort(ranks);
  Ranks all(ranks.size());
  std::iota(all.begin(), all.end(), 0);
  return ranks == all;
}

// Bits b2 b1 b0 of eight nodes, by hand.
TEST(BitPatterns, RearrangeTheBitsOfEightRanks) {
  const Topology topology = grid("mesh", 4, 2);
  EXPECT_EQ(partners_of({.kind = PatternKind::kShuffle}, topology),
            (Ranks{0, 2, 4, 6, 1, 3, 5, 7}));
  EXPECT_EQ(partners_of({.kind = PatternKind::kBitRotation}, topology),
            (Ranks{0, 4, 1, 5, 2, 6, 3, 7}));
  EXPECT_EQ(partners_of({.kind = PatternKind::kBitReverse}, topology),
            (Ranks{0, 4, 2, 6, 1, 5, 3, 7}));
}

TEST(BitPatterns, RearrangeTheBitsOfSixteenRanks) {
  const Topology topology = grid("mesh", 4, 4);
  EXPECT_EQ(partners_of({.kind = PatternKind::kBitReverse}, topology),
            (Ranks{0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15}));
  EXPECT_EQ(partners_of({.kind = PatternKind::kShuffle}, topology),
            (Ranks{0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15}));
}

TEST(BitPatterns, AreRefusedUnlessTheRanksAreAPowerOfTwo) {
  const Topology mesh = grid("mesh", 5, 4);
  for (const PatternKind kind :
       {PatternKind::kShuffle, PatternKind::kBitReverse, PatternKind::kBitRotation}) {
    const std::string message = message_of<BadInput>([&] { partners_of({.kind = kind}, mesh); });
    EXPECT_NE(message.find("20 NPUs; allowed: a power of two"), std::string::npos) << message;
  }
}

TEST(Tornado, GoesHalfWayInEveryDimension) {
  // Five columns: two places on, four rows: one.
  const Ranks five = partners_of({.kind = PatternKind::kTornado}, grid("mesh", 5, 4));
  EXPECT_EQ(Ranks(five.begin(), five.begin() + 5), (Ranks{7, 8, 9, 5, 6}));
  EXPECT_EQ(Ranks(five.end() - 5, five.end()), (Ranks{2, 3, 4, 0, 1}));
  EXPECT_EQ(partners_of({.kind = PatternKind::kTornado}, grid("torus", 8, 1)),
            (Ranks{3, 4, 5, 6, 7, 0, 1, 2}));
  const Topology tree = load_config("configs/fred_d.yaml").topology;
  const Ranks of_tree = partners_of({.kind = PatternKind::kTornado}, tree);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(of_tree[i], (i + 9) % 20);
}

TEST(Permutations, HaveEveryRankOnceAsADestination) {
  for (const auto& [width, height] : {std::pair(2, 1), {4, 2}, {4, 4}, {8, 4}, {8, 8}, {16, 8}}) {
    for (const PatternKind kind :
         {PatternKind::kTranspose, PatternKind::kBitComplement, PatternKind::kNeighbor,
          PatternKind::kTornado, PatternKind::kShuffle, PatternKind::kBitReverse,
          PatternKind::kBitRotation, PatternKind::kRandomPermutation}) {
      const Topology topology = grid("mesh", width, height);
      try {
        EXPECT_TRUE(is_permutation(partners_of({.kind = kind}, topology)))
            << to_string(kind) << " on " << width << " x " << height;
      } catch (const BadInput&) {
        EXPECT_LE(width * height, 4)
            << to_string(kind) << ": only where all are their own partners";
      }
    }
  }
}

TEST(RandomPermutation, IsDrawnBySeedAndEveryDestinationIsEquallyLikely) {
  // Ten nodes: no seed here draws the identity, which would be refused.
  const Topology topology = grid("mesh", 5, 2);
  const PatternSpec spec{.kind = PatternKind::kRandomPermutation};
  EXPECT_EQ(partners_of(spec, topology, 7), partners_of(spec, topology, 7));
  std::vector<Ranks> counts(10, Ranks(10));
  constexpr int kSeeds = 6000;
  for (int seed = 1; seed <= kSeeds; ++seed) {
    const Ranks partners = partners_of(spec, topology, static_cast<std::uint64_t>(seed));
    ASSERT_TRUE(is_permutation(partners));
    for (int node = 0; node < 10; ++node) ++counts[node][partners[node]];
  }
  for (const Ranks& of_node : counts)
    for (const int count : of_node) EXPECT_NEAR(count, kSeeds / 10, 110);
}

TEST(Asymmetric, GoesToTheOtherOfTwoHalves) {
  const Topology even = grid("mesh", 4, 2);
  EXPECT_EQ(partners_of({.kind = PatternKind::kAsymmetric}, even), (Ranks{4, 5, 6, 7, 0, 1, 2, 3}));
  // The last one of five nodes draws between two others, 0 and 2; the first four have one each.
  const Topology odd = grid("mesh", 5, 1);
  const Ranks of_last = counts_of({.kind = PatternKind::kAsymmetric}, odd, 4, 10'000);
  EXPECT_NEAR(of_last[0], 5000, 300);
  EXPECT_EQ(of_last[0] + of_last[2], 10'000);
  EXPECT_EQ(counts_of({.kind = PatternKind::kAsymmetric}, odd, 3, 100)[1], 100);
}

TEST(Background, IsUniformOverAllThatAreNotExcluded) {
  const Topology topology = grid("mesh", 4, 2);
  const PatternSpec spec{.kind = PatternKind::kBackground, .excluded = {0, 5, 6}};
  constexpr int kDraws = 40'000;
  EXPECT_EQ(TrafficPattern(spec, topology).sending_nodes(), 8);
  for (const int node : {0, 2, 7}) {
    const Ranks counts = counts_of(spec, topology, node, kDraws);
    const int others = node == 0 ? 5 : 4;
    for (int i = 0; i < 8; ++i) {
      const bool is_reached = i != node && i != 0 && i != 5 && i != 6;
      EXPECT_NEAR(counts[i], is_reached ? kDraws / others : 0, is_reached ? 400 : 0) << node << i;
    }
  }
  const PatternSpec one{.kind = PatternKind::kBackground, .excluded = {0, 1, 2, 4, 5, 6, 7}};
  EXPECT_EQ(partners_of(one, topology), Ranks(8, 3));
  EXPECT_EQ(TrafficPattern(one, topology).sending_nodes(), 7);
}

TEST(Background, RefusesNodesThatAreNotThereAndAllOfThem) {
  const Topology topology = grid("mesh", 2, 2);
  const auto refusal = [&](Ranks excluded) {
    return message_of<BadInput>([&] {
      TrafficPattern({.kind = PatternKind::kBackground, .excluded = std::move(excluded)}, topology);
    });
  };
  EXPECT_EQ(refusal({1, 4}), "--excluded-nodes: found '4'; allowed: NPUs of mesh, 0 to 3");
  EXPECT_EQ(refusal({0, 1, 2, 3}),
            "--excluded-nodes: found all 4 NPUs of mesh; allowed: 3 at most");
}

}  // namespace
}  // namespace fredsim::test
