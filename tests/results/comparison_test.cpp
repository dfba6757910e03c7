// SPDX-License-Identifier: Apache-2.0
#include "results/comparison.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/sample_run.h"

namespace fredsim {
namespace {

TEST(Comparison, RatiosAgainstTheBase) {
  const RunResult base = sample_run();
  RunResult run = base;
  run.time_ns = 50;
  run.injected_bytes = 500;
  run.link_bytes = 5000;
  const Comparison c = compare_to_base(base, run);
  EXPECT_DOUBLE_EQ(c.speedup, 4);
  EXPECT_DOUBLE_EQ(c.injected_traffic_reduction, 2);
  EXPECT_DOUBLE_EQ(c.link_traffic_reduction, 0.8) << "more traffic is a ratio below one";
}

TEST(Comparison, TheBaseAgainstItselfIsNeutral) {
  const Comparison c = compare_to_base(sample_run(), sample_run());
  EXPECT_EQ(c.speedup, 1);
  EXPECT_EQ(c.injected_traffic_reduction, 1);
  EXPECT_EQ(c.link_traffic_reduction, 1);
}

TEST(Comparison, GroupOfOneMovesNothing) {
  RunResult alone = sample_run();
  alone.time_ns = 0;
  alone.injected_bytes = 0;
  alone.link_bytes = 0;
  const Comparison c = compare_to_base(alone, alone);
  EXPECT_EQ(c.speedup, 1);
  EXPECT_EQ(c.injected_traffic_reduction, 1);
  EXPECT_EQ(c.link_traffic_reduction, 1);
  EXPECT_TRUE(std::isinf(compare_to_base(sample_run(), alone).speedup));
}

}  // namespace
}  // namespace fredsim
