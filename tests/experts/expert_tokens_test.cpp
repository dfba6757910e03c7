// SPDX-License-Identifier: Apache-2.0
// Tokens between ranks and experts against their formula, for random routers and placements.
#include "experts/expert_tokens.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.h"
#include "experts/expert_balance.h"
#include "support/random_range.h"

namespace fredsim::test {
namespace {

using Counts = std::vector<std::uint64_t>;

std::uint64_t sum(const Counts& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

TEST(ExpertTokens, WithoutSkewAreThoseOfAnAllToAll) {
  const Router router({}, 1, 4, 8, 2);
  const ExpertTokens found =
      expert_tokens(router, 0, contiguous_experts(8, 4, 2).of(0), Counts(4, 12), 0);
  for (const Counts& row : found.sent)
    EXPECT_EQ(row, Counts(4, 6));  // 12 tokens × 2 experts / 4 ranks
  for (const Counts& own : found.of_experts) EXPECT_EQ(own, Counts(2, 12));
  EXPECT_EQ(found.routed, 96U);
  EXPECT_EQ(found.dropped, 0U);
}

TEST(ExpertTokens, OfOneExpertPerRankAndTop1AreAPermutation) {
  for (const int n : {2, 3, 5, 16, 20, 64}) {
    const Router router({}, 1, n, n, 1);
    const ExpertTokens found = expert_tokens(router, 0, contiguous_experts(n, n, 1).of(0),
                                             Counts(static_cast<std::size_t>(n), 1), 0);
    Counts received(static_cast<std::size_t>(n));
    for (const Counts& row : found.sent) {
      EXPECT_EQ(sum(row), 1U) << n;
      for (std::size_t r = 0; r < row.size(); ++r) received[r] += row[r];
    }
    EXPECT_EQ(received, Counts(static_cast<std::size_t>(n), 1)) << n;
  }
}

TEST(ExpertTokens, FollowTheChancesOfTheRouter) {
  Random random(461);
  for (int trial = 0; trial < 300; ++trial) {
    const int ranks = random_between(random, 1, 20);
    const int experts = ranks * random_between(random, 1, 6);
    const int top_k = random_between(random, 1, experts);
    const int slots = random_between(random, experts / ranks, experts);
    SCOPED_TRACE(testing::Message() << "trial " << trial << ", " << ranks << " ranks, " << experts
                                    << " experts, top " << top_k << ", slots " << slots);
    const Router router({.kind = RouterOptions::Kind::kZipf,
                         .exponent = static_cast<double>(random.below(20)) / 10,
                         .seed = random.next()},
                        1, ranks, experts, top_k);
    const ExpertPlacement::Ranks placement =
        (trial % 2 == 0 ? contiguous_experts(experts, ranks, slots)
                        : balanced_experts(router, false, ranks, slots, 3))
            .of(0);
    const std::vector<int> copies = copies_of(placement, experts);
    const auto t = random_between(random, std::uint64_t{1}, std::uint64_t{200});
    const Counts tokens(static_cast<std::size_t>(ranks), t);
    const ExpertTokens found = expert_tokens(router, 0, placement, tokens, 0);
    const std::vector<double>& chances = router.chances(0, 0);
    std::vector<std::uint64_t> of_expert(static_cast<std::size_t>(experts));
    for (int r = 0; r < ranks; ++r) {
      EXPECT_EQ(sum(found.sent[r]), t * static_cast<std::uint64_t>(top_k));
      Counts received;
      for (const Counts& row : found.sent) received.push_back(row[r]);
      EXPECT_EQ(sum(received), sum(found.of_experts[r]));
      // From each rank, its share of every copy: within a token per copy.
      double expected = 0;
      for (const int e : placement[r]) expected += static_cast<double>(t) * chances[e] / copies[e];
      for (const std::uint64_t sent : received)
        EXPECT_NEAR(static_cast<double>(sent), expected,
                    1.001 * static_cast<double>(placement[r].size()));
      for (std::size_t i = 0; i < placement[r].size(); ++i)
        of_expert[placement[r][i]] += found.of_experts[r][i];
    }
    for (int e = 0; e < experts; ++e) {
      const double expected = static_cast<double>(t) * ranks * chances[e];
      EXPECT_LE(std::abs(static_cast<double>(of_expert[e]) - expected), 1.0001) << e;
      EXPECT_LE(of_expert[e], t * static_cast<std::uint64_t>(ranks)) << "a token twice";
    }
  }
}

// Copy n of a rank's tokens, from 1 on, goes to the first expert at which the cumulative
// probability reaches n less the rank's offset.
TEST(ExpertTokens, AreDealtOutOneByOne) {
  Random random(466);
  for (int trial = 0; trial < 100; ++trial) {
    const int ranks = random_between(random, 1, 20);
    const int own = random_between(random, 1, 6);
    const int experts = ranks * own;
    const int top_k = random_between(random, 1, experts);
    SCOPED_TRACE(testing::Message() << "trial " << trial << ", " << ranks << " ranks, " << experts
                                    << " experts, top " << top_k);
    const Router router({.kind = RouterOptions::Kind::kZipf,
                         .exponent = static_cast<double>(random.below(20)) / 10,
                         .seed = random.next()},
                        1, ranks, experts, top_k);
    Counts tokens;
    for (int r = 0; r < ranks; ++r) tokens.push_back(random.below(100));
    const ExpertTokens found =
        expert_tokens(router, 0, contiguous_experts(experts, ranks, own).of(0), tokens, 0);
    for (int r = 0; r < ranks; ++r) {
      Counts expected(static_cast<std::size_t>(ranks));
      for (std::uint64_t n = 1; n <= tokens[r] * static_cast<std::uint64_t>(top_k); ++n) {
        const double wanted = static_cast<double>(n) - (r + 0.5) / ranks;
        double reached = 0;
        int e = 0;
        for (; e + 1 < experts; ++e) {
          reached += static_cast<double>(tokens[r]) * router.chances(0, r)[e];
          if (reached >= wanted) break;
        }
        ++expected[e / own];
      }
      EXPECT_EQ(found.sent[r], expected) << "rank " << r;
    }
  }
}

TEST(ExpertTokens, BeyondTheCapacityAreDroppedAndCounted) {
  const Router router(parse_router("zipf:1.5", 2), 1, 2, 4, 1);
  const ExpertPlacement::Ranks placement = contiguous_experts(4, 2, 2).of(0);
  const Counts tokens{100, 40};
  const ExpertTokens all = expert_tokens(router, 0, placement, tokens, 0);
  const ExpertTokens some = expert_tokens(router, 0, placement, tokens, 1.25);
  EXPECT_EQ(all.routed, 140U);
  EXPECT_EQ(some.routed + some.dropped, 140U);
  // ceil(1.25 × 100 / 4) and ceil(1.25 × 40 / 4).
  for (std::size_t r = 0; r < 2; ++r)
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_LE(some.of_experts[r][i], 32U + 13U);
      EXPECT_LE(some.of_experts[r][i], all.of_experts[r][i]);
    }
  std::uint64_t most = 0;
  for (const Counts& own : some.of_experts) most = std::max(most, std::ranges::max(own));
  EXPECT_EQ(most, 32U + 13U);
  EXPECT_GT(some.dropped, 0U);
  EXPECT_EQ(expert_tokens(router, 0, placement, tokens, 4).dropped, 0U);
}

TEST(ExpertTokens, AreSharedByCopies) {
  // Two ranks, one expert, on both.
  const Router router({}, 1, 2, 1, 1);
  const ExpertTokens found = expert_tokens(router, 0, {{0}, {0}}, {5, 5}, 0);
  EXPECT_EQ(found.sent, (std::vector<Counts>{{3, 2}, {2, 3}}));
}

}  // namespace
}  // namespace fredsim::test
