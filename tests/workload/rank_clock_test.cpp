// SPDX-License-Identifier: Apache-2.0
// Time of one rank by cause: by hand, and of random chains of tasks against sums that are worked
// out from the contract.
#include "workload/detail/rank_clock.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "base/random.h"

namespace fredsim::test {
namespace {

constexpr auto kCompute = TimeCategory::kCompute;

// The rank reaches a communication at 10; it starts at 25.
RankTime waiting_from_10(TimeCategory category, bool is_bubble) {
  RankClock clock;
  clock.compute(0, 10, kCompute, {});
  WaitTime waited;
  clock.wait_for(
      {.ready = 10, .start = 25, .end = 40, .category = category, .is_bubble = is_bubble}, waited);
  clock.compute(40, 5, kCompute, waited);
  clock.complete(45, {.since = 45});
  return clock.time();
}

TEST(RankClock, ExposesWhatTheNextComputationWaitsFor) {
  const RankTime time = waiting_from_10(TimeCategory::kDp, false);
  EXPECT_EQ(time.of(kCompute), 15U);
  EXPECT_EQ(time.of(TimeCategory::kDp), 30U);
  EXPECT_EQ(time.bubble, 0U);
  EXPECT_EQ(time.end, 45U);
}

TEST(RankClock, CountsABubbleUpToTheStart) {
  const RankTime time = waiting_from_10(TimeCategory::kPp, true);
  EXPECT_EQ(time.bubble, 15U);
  EXPECT_EQ(time.of(TimeCategory::kPp), 15U);
}

TEST(RankClock, CountsNothingThatGoesOnWhileItComputes) {
  RankClock clock;
  clock.compute(0, 100, kCompute, {});
  WaitTime waited;
  clock.wait_for({.ready = 10, .start = 10, .end = 120, .category = TimeCategory::kMp}, waited);
  clock.compute(120, 1, kCompute, waited);
  clock.complete(121, {.since = 121});
  EXPECT_EQ(clock.time().exposed(), 20U);
  EXPECT_EQ(clock.time().computing(), 101U);
}

// Waiting before a computation is counted there, and not again for tasks that end after it.
TEST(RankClock, CountsWaitingOnce) {
  RankClock clock;
  WaitTime waited;
  clock.wait_for({.ready = 0, .start = 0, .end = 10, .category = TimeCategory::kMp}, waited);
  clock.compute(10, 20, kCompute, waited);
  clock.wait_for({.ready = 10, .start = 10, .end = 70, .category = TimeCategory::kDp}, waited);
  clock.compute(70, 0, kCompute, waited);
  clock.complete(70, {.since = 70});
  EXPECT_EQ(clock.time().of(TimeCategory::kMp), 10U);
  EXPECT_EQ(clock.time().of(TimeCategory::kDp), 40U);
}

TEST(RankClock, PartsOfAChainAddUpToItsEnd) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    RankClock clock;
    RankTime expected;
    WaitTime waited;
    std::uint64_t now = 0;
    for (int i = 0; i < 30; ++i) {
      if (random.below(3) == 0) {
        const std::uint64_t cycles = random.below(20);
        clock.compute(now, cycles, kCompute, waited);
        now = clock.free();
        waited = {.since = now};
        expected.parts[static_cast<std::size_t>(kCompute)] += cycles;
      } else {
        const TimeCategory category = random.below(2) == 0 ? TimeCategory::kPp : TimeCategory::kDp;
        const bool is_bubble = category == TimeCategory::kPp && random.below(2) == 0;
        const std::uint64_t start = now + random.below(20), end = start + random.below(20);
        clock.wait_for({.ready = now,
                        .start = start,
                        .end = end,
                        .category = category,
                        .is_bubble = is_bubble},
                       waited);
        (is_bubble ? expected.bubble : expected.parts[static_cast<std::size_t>(category)]) +=
            start - now;
        expected.parts[static_cast<std::size_t>(category)] += end - start;
        now = end;
      }
      clock.complete(now, waited);
    }
    const RankTime time = clock.time();
    EXPECT_EQ(time.parts, expected.parts);
    EXPECT_EQ(time.bubble, expected.bubble);
    EXPECT_EQ(time.end, now);
    EXPECT_EQ(time.computing() + time.exposed() + time.bubble, now);
  }
}

}  // namespace
}  // namespace fredsim::test
