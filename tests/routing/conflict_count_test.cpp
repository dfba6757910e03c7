// SPDX-License-Identifier: Apache-2.0
// Conflict rates: against a probability that can be counted by hand, and set by set.
#include "routing/conflict_count.h"

#include <gtest/gtest.h>

#include <cmath>

namespace fredsim {
namespace {

// Four all-reduces on Fred_3(12) conflict only if each two of them share an edge µSwitch: six pairs
// on six µSwitches, so that each flow has three ports. One of the 70 size vectors is (3,3,3,3); 6!
// * 2^6 of the 12! / 3!^4 ways to assign the ports have this property.
TEST(ConflictCount, FourAllReducesOnTwelvePorts) {
  constexpr std::uint64_t kTrials = 60'000;
  constexpr double kRate = 46'080.0 / 369'600 / 70;
  const std::vector<int> middles{3, 4};
  const std::vector<std::uint64_t> conflicts = count_conflicts(
      {.kind = FlowKind::kAllReduce, .ports = 12, .flows = 4, .trials = kTrials}, middles);
  EXPECT_NEAR(static_cast<double>(conflicts[0]), kRate * kTrials, 4 * std::sqrt(kRate * kTrials));
  EXPECT_EQ(conflicts[1], 0U);
}

TEST(ConflictCount, EveryMHasTheSameSets) {
  const FlowSets sets{.kind = FlowKind::kAny, .ports = 10, .flows = 5, .trials = 500, .seed = 7};
  const std::vector<std::uint64_t> together = count_conflicts(sets, std::vector<int>{2, 3, 4});
  for (const int middle : {2, 3, 4})
    EXPECT_EQ(count_conflicts(sets, std::vector<int>{middle}).front(), together[middle - 2]);
  EXPECT_GT(together[0], together[1]);
  EXPECT_GE(together[1], together[2]);
}

// The first sets do not depend on how many follow.
TEST(ConflictCount, MoreTrialsGoOnWhereFewerStop) {
  FlowSets sets{.kind = FlowKind::kMulticast, .ports = 9, .flows = 3, .trials = 1, .seed = 2};
  const std::vector<int> middles{2};
  std::uint64_t before = 0;
  for (sets.trials = 1; sets.trials <= 100; ++sets.trials) {
    const std::uint64_t conflicts = count_conflicts(sets, middles).front();
    EXPECT_GE(conflicts, before);
    EXPECT_LE(conflicts, before + 1);
    before = conflicts;
  }
  EXPECT_GT(before, 0U);
  EXPECT_LT(before, 100U);
}

TEST(ConflictCount, UnicastsNeverConflict) {
  for (const int flows : {2, 17, 32}) {
    const FlowSets sets{.kind = FlowKind::kUnicast, .ports = 32, .flows = flows, .trials = 100};
    EXPECT_EQ(count_conflicts(sets, std::vector<int>{2}).front(), 0U);
  }
}

}  // namespace
}  // namespace fredsim
