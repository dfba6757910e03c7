// SPDX-License-Identifier: Apache-2.0
// Every strategy of small machines against trying everything, and the paper's machine.
#include "placement/strategy_check.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/random.h"
#include "fabrics.h"
#include "routing_oracle.h"

namespace fredsim {
namespace {

using test::Routability;

std::vector<int> random_placement(Random& random, int npus) {
  std::vector<int> placement = test::first_ranks(npus);
  for (std::size_t i = placement.size() - 1; i > 0; --i)
    std::swap(placement[i], placement[random.below(i + 1)]);
  return placement;
}

Routability said_of(const StrategyCheck& check) {
  if (!check.obstacle) return Routability::kRouted;
  return check.obstacle->kind == Obstacle::Kind::kUplinks ? Routability::kTooFewUplinks
                                                          : Routability::kNoRouting;
}

Routability true_of(const Topology& topology, const StrategyCheck& check) {
  std::vector<CollectiveSpec> work;
  for (const std::vector<int>& group : check.groups) {
    CollectiveSpec& spec = work.emplace_back();
    spec.collective =
        check.dimension == Dimension::kPp ? Collective::kBroadcast : Collective::kAllReduce;
    spec.group = group;
  }
  return test::try_everything(topology, work);
}

TEST(StrategyCheck, AgreesWithTryingEverything) {
  std::map<Routability, int> seen;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    Random random(seed);
    for (const int uplinks : {2, 3}) {
      const auto bandwidth = static_cast<std::uint64_t>(uplinks) * 3'000'000'000'000;
      const Topology topology = test::fred_tree({.l1_switches = 3,
                                                 .npus_per_l1 = 3,
                                                 .uplinks = uplinks,
                                                 .l2_chiplets_per_slice = 1,
                                                 .middle = 2 + static_cast<int>(seed % 2),
                                                 .uplink_bandwidth = bandwidth});
      const std::vector<int> any = random_placement(random, 9);
      const auto placement = [&](const Strategy& s) {
        return seed < 2 ? paper_placement(s)
                        : std::vector<int>(any.begin(), any.begin() + s.workers());
      };
      const std::vector<Strategy> strategies = all_strategies(9);
      for (const StrategyCheck& check : check_strategies(topology, strategies, placement)) {
        SCOPED_TRACE(fmt::format("seed {}, {} uplinks, {} {}", seed, uplinks,
                                 to_string(check.strategy), to_string(check.dimension)));
        const Routability truth = true_of(topology, check);
        EXPECT_EQ(said_of(check), truth);
        ++seen[truth];
      }
    }
  }
  for (const Routability kind :
       {Routability::kRouted, Routability::kTooFewUplinks, Routability::kNoRouting})
    EXPECT_GT(seen[kind], 3) << static_cast<int>(kind);
}

TEST(StrategyCheck, CoversEveryDimensionThatHasGroups) {
  const std::vector<Strategy> strategies = all_strategies(20);
  const auto checks = check_strategies(test::fred_tree(), strategies, paper_placement);
  for (const Dimension dimension : {Dimension::kMp, Dimension::kDp, Dimension::kPp}) {
    const auto wanted = std::ranges::count_if(
        strategies, [&](const Strategy& s) { return !groups_of(s, dimension).empty(); });
    EXPECT_EQ(std::ranges::count(checks, dimension, &StrategyCheck::dimension), wanted);
  }
}

// Five groups of three over four L1 chiplets with 4 + 4 + 4 + 3 members: an L2 chiplet has two
// uplinks to each, eight ends, hence two groups of three; two chiplets take four of the five.
TEST(StrategyCheck, FiveGroupsOfThreeDoNotFitOnTwoL2Chiplets) {
  const std::vector<Strategy> strategies{{.mp = 1, .dp = 3, .pp = 5}};
  for (const int middle : {2, 3, 4}) {
    const auto checks =
        check_strategies(test::fred_tree({.middle = middle}), strategies, paper_placement);
    ASSERT_EQ(checks.size(), 2U);
    ASSERT_TRUE(checks[0].obstacle.has_value());
    EXPECT_EQ(checks[0].dimension, Dimension::kDp);
    EXPECT_EQ(checks[0].obstacle->kind, Obstacle::Kind::kUplinks);
    EXPECT_EQ(checks[0].culprits, (std::vector<int>{0, 1, 2, 3, 4}));
    EXPECT_FALSE(checks[1].obstacle.has_value());
  }
}

// §8.2: the paper's own strategies, m = 3 and its placement.
TEST(StrategyCheck, ThePapersOwnStrategiesAreRouted) {
  const std::vector<Strategy> strategies{
      {.mp = 2, .dp = 5, .pp = 2}, {.mp = 3, .dp = 3, .pp = 2}, {.mp = 1, .dp = 20, .pp = 1}};
  for (const StrategyCheck& check :
       check_strategies(test::fred_tree(), strategies, paper_placement))
    EXPECT_FALSE(check.obstacle.has_value())
        << to_string(check.strategy) << " " << to_string(check.dimension);
}

TEST(StrategyCheck, NeedsInSwitchCollectives) {
  const std::vector<Strategy> strategies{{.mp = 2}};
  EXPECT_THROW(check_strategies(test::mesh(2, 2), strategies, paper_placement), BadInput);
  EXPECT_THROW(check_strategies(test::fred_tree({}, false), strategies, paper_placement), BadInput);
}

}  // namespace
}  // namespace fredsim
