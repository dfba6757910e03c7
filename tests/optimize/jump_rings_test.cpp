// SPDX-License-Identifier: Apache-2.0
// Jumps and rings: the published choices, Hamiltonian rings, and routes against breadth-first
// search over the links.
#include "optimize/jump_rings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <numeric>
#include <set>
#include <string>

#include "base/error.h"
#include "optimize/direct_network.h"

namespace fredsim {
namespace {

using Jumps = std::vector<int>;

DirectNetwork network_of(int nodes, const Jumps& jumps, bool both_ways) {
  DirectNetwork network(nodes);
  for (const int jump : jumps) {
    for (int i = 0; i < nodes; ++i) {
      network.add(i, (i + jump) % nodes);
      if (both_ways) network.add((i + jump) % nodes, i);
    }
  }
  return network;
}

TEST(JumpRings, ChoicesAndDiametersAreThePublishedOnes) {
  struct Case {
    int nodes, degree;
    Jumps jumps;
    int diameter;
  };
  for (const Case& one : {Case{16, 2, {1, 5}, 6}, Case{128, 4, {1, 5, 13, 39}, 9},
                          Case{128, 8, {1, 3, 5, 7, 13, 21, 39, 71}, 5}}) {
    SCOPED_TRACE(testing::Message() << one.nodes << " nodes, degree " << one.degree);
    const Jumps chosen = choose_jumps(one.nodes, one.degree);
    EXPECT_EQ(chosen, one.jumps);
    EXPECT_EQ(JumpRoutes(one.nodes, chosen).diameter(), one.diameter);
    EXPECT_EQ(network_of(one.nodes, chosen, false).diameter(), one.diameter);
  }
}

TEST(JumpRings, PossibleJumpsHaveNoCommonDivisorWithTheGroup) {
  EXPECT_EQ(possible_jumps(12), (Jumps{1, 5, 7, 11}));
  EXPECT_EQ(possible_jumps(16, {.primes = true}), (Jumps{1, 3, 5, 7, 11, 13}));
  EXPECT_EQ(possible_jumps(16, {.both_ways = true}), (Jumps{1, 3, 5, 7}));
  EXPECT_EQ(possible_jumps(2), (Jumps{1}));
  EXPECT_EQ(possible_jumps(2, {.both_ways = true}), (Jumps{1}));
}

TEST(JumpRings, RingsAreHamiltonianAndRoutesHaveTheFewestLinks) {
  for (const bool primes : {false, true}) {
    for (const bool both : {false, true}) {
      const JumpKind kind{primes, both};
      for (int nodes = 2; nodes <= 70; ++nodes) {
        const auto possible = static_cast<int>(possible_jumps(nodes, kind).size());
        for (int degree = 1; degree <= std::min(possible, 6); ++degree) {
          SCOPED_TRACE(testing::Message() << nodes << " nodes, degree " << degree << ", primes "
                                          << primes << ", both ways " << both);
          const Jumps jumps = choose_jumps(nodes, degree, kind);
          ASSERT_EQ(std::set(jumps.begin(), jumps.end()).size(), jumps.size());
          for (const int jump : jumps) {
            Jumps order = ring_order(nodes, jump);
            ASSERT_EQ((order.back() + jump) % nodes, 0);
            std::ranges::sort(order);
            for (int i = 0; i < nodes; ++i) ASSERT_EQ(order[i], i);
          }
          const JumpRoutes routes(nodes, jumps, both);
          const Jumps distances = network_of(nodes, jumps, both).distances(0);
          for (int ahead = 0; ahead < nodes; ++ahead) {
            ASSERT_EQ(routes.links(ahead), distances[ahead]);
            const Jumps counts = routes.counts(ahead);
            ASSERT_EQ(std::accumulate(counts.begin(), counts.end(), 0), distances[ahead]);
            ASSERT_EQ(
                std::inner_product(counts.begin(), counts.end(), routes.jumps().begin(), 0) % nodes,
                ahead);
          }
        }
      }
    }
  }
}

TEST(JumpRings, RefuseMoreJumpsThanThereAre) {
  try {
    choose_jumps(12, 5);
    FAIL();
  } catch (const BadInput& error) {
    EXPECT_EQ(std::string(error.what()),
              "found a degree of 5 for rings of a group of 12, which has 4 jumps without a common "
              "divisor; allowed: up to 4");
  }
  EXPECT_THROW(choose_jumps(2, 2), BadInput);
  EXPECT_EQ(choose_jumps(12, 4), (Jumps{1, 5, 7, 11}));
}

TEST(JumpRings, Of1024NodesTakeLessThanATenthOfASecond) {
  const std::clock_t begin = std::clock();
  std::size_t rings = 0;
  for (const int jump : possible_jumps(1024))
    rings += ring_order(1024, jump).size() == 1024 ? 1 : 0;
  const JumpRoutes routes(1024, choose_jumps(1024, 8));
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  EXPECT_EQ(rings, 512U);
  EXPECT_GT(routes.diameter(), 0);
  RecordProperty("seconds", std::to_string(seconds));
  EXPECT_LT(seconds, 0.1);
}

}  // namespace
}  // namespace fredsim
