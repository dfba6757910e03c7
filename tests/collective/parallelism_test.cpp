// SPDX-License-Identifier: Apache-2.0
// Strategies, the groups of their dimensions, and where the paper puts the workers.
#include "plan/parallelism.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/error.h"
#include "fabrics.h"

namespace fredsim {
namespace {

constexpr std::array kDimensions{Dimension::kMp, Dimension::kDp, Dimension::kPp};

struct Coordinates {
  int mp, dp, pp;
};

Coordinates coordinates(const Strategy& s, int rank) {
  return {rank % s.mp, rank / s.mp % s.dp, rank / (s.mp * s.dp)};
}

// The all-reduces of a dimension: every worker once, in groups that differ along it alone.
TEST(Parallelism, GroupsOfMpAndDpPartitionTheWorkers) {
  for (const Strategy& s : all_strategies(24)) {
    for (const Dimension dimension : {Dimension::kMp, Dimension::kDp}) {
      SCOPED_TRACE(fmt::format("{} {}", to_string(s), to_string(dimension)));
      const int size = dimension == Dimension::kMp ? s.mp : s.dp;
      const auto groups = groups_of(s, dimension);
      if (size == 1) {
        EXPECT_TRUE(groups.empty());
        continue;
      }
      std::vector<int> seen;
      for (const std::vector<int>& group : groups) {
        ASSERT_EQ(std::ssize(group), size);
        for (int i = 0; i < size; ++i) {
          const Coordinates first = coordinates(s, group[0]);
          const Coordinates c = coordinates(s, group[i]);
          EXPECT_EQ(c.mp, dimension == Dimension::kMp ? i : first.mp);
          EXPECT_EQ(c.dp, dimension == Dimension::kDp ? i : first.dp);
          EXPECT_EQ(c.pp, first.pp);
        }
        seen.insert(seen.end(), group.begin(), group.end());
      }
      std::ranges::sort(seen);
      EXPECT_EQ(seen, test::first_ranks(s.workers()));
    }
  }
}

// One step per replica and boundary, from worker 0 of a stage to all of the next; nobody sends
// twice, nobody receives twice.
TEST(Parallelism, StepsOfPpGoFromEveryStageToTheNext) {
  for (const Strategy& s : all_strategies(24)) {
    SCOPED_TRACE(to_string(s));
    const auto groups = groups_of(s, Dimension::kPp);
    EXPECT_EQ(std::ssize(groups), s.dp * (s.pp - 1));
    std::set<int> senders;
    std::set<int> receivers;
    for (const std::vector<int>& group : groups) {
      ASSERT_EQ(std::ssize(group), 1 + s.mp);
      const Coordinates from = coordinates(s, group[0]);
      EXPECT_EQ(from.mp, 0);
      EXPECT_TRUE(senders.insert(group[0]).second);
      for (int i = 0; i < s.mp; ++i) {
        const Coordinates to = coordinates(s, group[1 + i]);
        EXPECT_EQ(to.mp, i);
        EXPECT_EQ(to.dp, from.dp);
        EXPECT_EQ(to.pp, from.pp + 1);
        EXPECT_TRUE(receivers.insert(group[1 + i]).second);
      }
    }
  }
}

TEST(Parallelism, PlacementsArePermutations) {
  for (const Strategy& s : all_strategies(24)) {
    SCOPED_TRACE(to_string(s));
    std::vector<int> npus = paper_placement(s);
    for (const std::vector<int>& group : groups_of(s, Dimension::kMp)) {
      const std::vector<int> on = placed(group, npus);
      for (int i = 0; i < s.mp; ++i) EXPECT_EQ(on[i], on[0] + i) << "MP workers are neighbours";
    }
    std::ranges::sort(npus);
    EXPECT_EQ(npus, test::first_ranks(s.workers()));
  }
}

// §5.3: an L1 group of four holds MP2 × PP2, every DP group has one member in each L1.
TEST(Parallelism, ThePaperPlacesMp2Dp5Pp2OverTheL1Switches) {
  const Strategy s = parse_strategy("mp2-dp5-pp2");
  const std::vector<int> npus = paper_placement(s);
  for (const Dimension dimension : kDimensions) {
    for (const std::vector<int>& group : groups_of(s, dimension)) {
      std::set<int> l1;
      for (const int npu : placed(group, npus)) l1.insert(npu / 4);
      EXPECT_EQ(l1.size(), dimension == Dimension::kDp ? 5U : 1U) << to_string(dimension);
    }
  }
}

TEST(Parallelism, StrategiesAreAllOrderedTriples) {
  for (const int npus : {1, 4, 20}) {
    std::set<std::array<int, 3>> seen;
    for (const Strategy& s : all_strategies(npus)) {
      EXPECT_LE(s.workers(), npus);
      EXPECT_TRUE(seen.insert({s.mp, s.dp, s.pp}).second);
    }
    std::size_t wanted = 0;
    for (int mp = 1; mp <= npus; ++mp)
      for (int dp = 1; dp <= npus; ++dp)
        for (int pp = 1; pp <= npus; ++pp) wanted += mp * dp * pp <= npus ? 1 : 0;
    EXPECT_EQ(seen.size(), wanted);
  }
}

TEST(Parallelism, StrategiesAreReadBack) {
  for (const Strategy& s : all_strategies(12)) EXPECT_EQ(parse_strategy(to_string(s)), s);
  EXPECT_EQ(parse_strategy("pp3-mp2"), (Strategy{.mp = 2, .dp = 1, .pp = 3}));
  for (const char* text :
       {"", "mp", "mp0", "mp-1", "mp2-", "mp2-mp2", "2", "xp2", "mp2 dp2", "mp2-dp5-pp2x",
        "mp99999999999", "mp1048576-dp2", "mp65536-dp65536-pp65536"}) {
    EXPECT_THROW(parse_strategy(text), BadInput) << text;
  }
  EXPECT_THROW(parse_dimension("all"), BadInput);
}

TEST(Parallelism, WorkersWithoutAPlaceAreRefused) {
  EXPECT_EQ(placed({2, 0}, {7, 8, 9}), (std::vector<int>{9, 7}));
  EXPECT_THROW(placed({0, 3}, {7, 8, 9}), BadInput);
  EXPECT_THROW(placed({-1}, {7, 8, 9}), BadInput);
}

}  // namespace
}  // namespace fredsim
