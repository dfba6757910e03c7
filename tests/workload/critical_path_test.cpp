// SPDX-License-Identifier: Apache-2.0
// A breakdown that does not add up is a failure, never a number.
#include "workload/detail/critical_path.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "workload/graphs.h"

namespace fredsim::test {
namespace {

class CriticalPathTest : public testing::Test {
 protected:
  CriticalPathTest() {
    hand_.compute(0, 10);
    hand_.compute(0, 5);
    hand_.compute(1, 12);
    outcome_.result.cycles = 15;
    outcome_.records = {{{0, 10, -1, -1}, {10, 15, 0, 0}}, {{0, 12, -1, -1}}, {}, {}};
  }
  GraphByHand hand_;
  GraphOutcome outcome_;
};

TEST_F(CriticalPathTest, GoesFromTheEndToTheBeginning) {
  EXPECT_EQ(critical_path(hand_.graph(), outcome_), (TimeBreakdown{15, 0, 0, 0, 0, 0}));
}

TEST_F(CriticalPathTest, ATaskThatBeginsLateIsSeen) {
  outcome_.records[0][1].begin = 11;
  EXPECT_THROW(critical_path(hand_.graph(), outcome_), RunFailed);
}

TEST_F(CriticalPathTest, ABeginningThatIsLateIsSeen) {
  outcome_.records[0][0].begin = 1;
  EXPECT_THROW(critical_path(hand_.graph(), outcome_), RunFailed);
}

TEST_F(CriticalPathTest, AnEndBeforeThatOfTheRunIsSeen) {
  outcome_.result.cycles = 16;
  EXPECT_THROW(critical_path(hand_.graph(), outcome_), RunFailed);
}

}  // namespace
}  // namespace fredsim::test
