// SPDX-License-Identifier: Apache-2.0
// Offers of `--engine flow`: estimates and trials are given, no clock is read.
#include "report/flow_offer.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "base/random.h"

namespace fredsim::test {
namespace {

constexpr WorkDone kNone{};

TEST(FlowOffer, IsDueOnceTheRunIsEstimatedAboveTwoMinutes) {
  FlowOffer offer(false);
  EXPECT_FALSE(offer.is_due(4.9, {1, 1000}, kNone)) << "too early for an estimate";
  EXPECT_TRUE(offer.is_due(5, {10, 1000}, kNone));
  EXPECT_DOUBLE_EQ(offer.estimate_s(), 500);
  EXPECT_FALSE(offer.is_due(6, {12, 1000}, kNone)) << "offered before";
}

TEST(FlowOffer, IsNotDueInShortRuns) {
  FlowOffer offer(false);
  for (int done = 0; done <= 120; ++done)  // a unit per second
    EXPECT_FALSE(offer.is_due(done, {static_cast<double>(done), 120}, kNone)) << done;
}

TEST(FlowOffer, IsDueWhenTheRunSlowsDown) {
  FlowOffer offer(false);
  EXPECT_FALSE(offer.is_due(10, {50, 500}, kNone));
  EXPECT_TRUE(offer.is_due(40, {51, 500}, kNone));
  EXPECT_GT(offer.estimate_s(), FlowOffer::kLongRun);
}

// Rounds that may be replayed count as fewer.
TEST(FlowOffer, CountsOnReplays) {
  FlowOffer may_replay(true), may_not(false);
  EXPECT_FALSE(may_replay.is_due(10, {10, 60}, {0, 600}));
  EXPECT_TRUE(may_not.is_due(10, {10, 60}, {0, 600}));
}

TEST(FlowOffer, SaysWhatTheTrialTookAndHowFarOffItWas) {
  FlowOffer offer(false);
  ASSERT_TRUE(offer.is_due(10, {10, 665}, kNone));
  const FlowTrial trial{.progress = {{10, 1000}, {20, 2000}, {40, 6000}}, .seconds = 1.234};
  EXPECT_EQ(offer.text(trial, {30, 4100}),
            "the exact run takes 11:05 minutes by estimate; as flows (--engine flow) it took 1.23 "
            "s, without calibration, with the first 30 operations complete in cycle 4000 in place "
            "of 4100 (-2.44 %)");
}

TEST(FlowOffer, OfAStoppedTrialSaysThatItTakesLonger) {
  FlowOffer offer(false);
  ASSERT_TRUE(offer.is_due(10, {10, 665}, kNone));
  const FlowTrial trial{.progress = {{10, 1000}}, .seconds = 10, .is_complete = false};
  EXPECT_NE(offer.text(trial, {5, 400}).find("it takes more than 10.0 s, without"),
            std::string::npos);
  EXPECT_NE(offer.text(trial, {5, 400}).find("(+25.00 %)"), std::string::npos);
  EXPECT_EQ(offer.text(trial, {11, 400}), "") << "stopped before so many operations";
}

// Between two points, and at each of them.
TEST(FlowOffer, InterpolatesTheTrial) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    FlowTrial trial;
    OperationsDone at;
    for (std::uint64_t i = 1 + random.below(20); i > 0; --i) {
      at.operations += static_cast<double>(1 + random.below(100));
      at.cycle += static_cast<double>(random.below(10'000));
      trial.progress.push_back(at);
    }
    OperationsDone before;
    for (const OperationsDone& point : trial.progress) {
      EXPECT_DOUBLE_EQ(*cycle_of(trial, point.operations), point.cycle);
      const double mid = *cycle_of(trial, (before.operations + point.operations) / 2);
      EXPECT_NEAR(mid, (before.cycle + point.cycle) / 2, 1e-6);
      before = point;
    }
    EXPECT_FALSE(cycle_of(trial, at.operations + 1));
  }
}

}  // namespace
}  // namespace fredsim::test
