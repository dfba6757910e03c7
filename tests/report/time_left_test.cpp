// SPDX-License-Identifier: Apache-2.0
// Estimates over recorded sequences of work and seconds: within a factor of three of the remaining
// time, from a fifth of the time on.
#include "report/time_left.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace fredsim {
namespace {

struct Noted {
  double seconds, first, repeated;
};
struct Recorded {
  const char* run;
  bool may_replay;
  double first, repeated;  // times of all iterations
  double end;              // seconds
  std::vector<Noted> noted;
};

// The largest factor between estimate and truth from a share of the time to another.
double largest_factor(const Recorded& run, double from = 0.2, double to = 0.9) {
  TimeLeft left(run.may_replay);
  double factor = 1;
  for (const Noted& at : run.noted) {
    left.note(at.seconds, {at.first, run.first}, {at.repeated, run.repeated});
    if (at.seconds < from * run.end || at.seconds > to * run.end) continue;
    const double estimate = left.seconds().value_or(1e9), truth = run.end - at.seconds;
    factor = std::max({factor, estimate / truth, truth / std::max(estimate, 1e-9)});
  }
  return factor;
}

TEST(TimeLeft, NothingIsKnownBeforeAnythingIsDone) {
  TimeLeft left(true);
  left.note(5, {0, 100});
  EXPECT_FALSE(left.seconds());
  left.note(6, {10, 100});
  EXPECT_NEAR(*left.seconds(), 54, 1e-9);
}

TEST(TimeLeft, EvenWorkIsKnownToTheSecond) {
  TimeLeft left(false);
  for (int second = 1; second <= 100; ++second) {
    left.note(second, {static_cast<double>(second), 100});
    EXPECT_NEAR(*left.seconds(), 100 - second, 1e-6);
  }
}

// Ten iterations: the first takes 20 s and the replayed ones 1 s together. The estimate is a tenth
// of the one without replay.
TEST(TimeLeft, WhatMayBeReplayedCountsForLittleBeforeItIsSeen) {
  Recorded run{"replayed", true, 10, 90, 21, {}};
  for (double s = 0.1; s <= 20; s += 0.1) run.noted.push_back({s, s / 2, 0});
  for (double s = 20.1; s < 21; s += 0.1) run.noted.push_back({s, 10, 90 * (s - 20)});
  EXPECT_LT(largest_factor(run, 0.2, 0.5), 3);
  run.may_replay = false;
  EXPECT_GT(largest_factor(run, 0.2, 0.5), 9) << "or the test says nothing";
}

// Without replay, even if it is permitted: visible the longer it goes on.
TEST(TimeLeft, WhatIsNotReplayedIsSeenToTakeAsLong) {
  Recorded run{"in full", true, 10, 90, 100, {}};
  for (double s = 0.5; s <= 100; s += 0.5)
    run.noted.push_back({s, std::min(s, 10.0), std::max(s - 10, 0.0)});
  EXPECT_LT(largest_factor(run), 5);
  EXPECT_LT(largest_factor(run, 0.6), 2);
  run.may_replay = false;
  EXPECT_LT(largest_factor(run, 0.01), 1.1) << "or from the beginning, where it cannot be";
}

// Training of Llama 3 70B on FRED as it was recorded: the second iteration takes as long as the
// first.
TEST(TimeLeft, OfARecordedTrainingWhoseSecondIterationIsNotReplayed) {
  Recorded run{"llama3_70b on fred_d", true, 0.5, 0.5, 24.5, {}};
  constexpr double kRecorded[][2] = {{1.3, 0.019},  {2.4, 0.039},  {3.9, 0.094},  {6.5, 0.189},
                                     {7.5, 0.232},  {8.5, 0.257},  {9.6, 0.289},  {10.7, 0.344},
                                     {12.0, 0.462}, {13.0, 0.494}, {14.0, 0.520}, {15.2, 0.564},
                                     {16.2, 0.596}, {17.4, 0.713}, {18.3, 0.744}, {19.3, 0.769},
                                     {20.1, 0.812}, {21.5, 0.845}, {22.8, 0.939}, {23.9, 0.982}};
  for (const auto& [seconds, done] : kRecorded)
    run.noted.push_back({seconds, std::min(done, 0.5), std::max(done - 0.5, 0.0)});
  EXPECT_LT(largest_factor(run), 3);
}

}  // namespace
}  // namespace fredsim
