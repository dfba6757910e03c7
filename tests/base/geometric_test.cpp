// SPDX-License-Identifier: Apache-2.0
#include "base/geometric.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace fredsim {
namespace {

TEST(GeometricGap, HasTheDistributionOfTrialsUntilASuccess) {
  constexpr int kDraws = 200'000;
  for (const double p : {0.9, 0.5, 0.3, 0.02, 0.001}) {
    const GeometricGap gap(p);
    Random random(7);
    double sum = 0;
    std::vector<int> count(4);
    for (int i = 0; i < kDraws; ++i) {
      const std::uint64_t trials = gap.draw(random);
      ASSERT_GE(trials, 1U);
      sum += static_cast<double>(trials);
      if (trials < count.size()) ++count[trials];
    }
    const double deviation = std::sqrt(1 - p) / p / std::sqrt(kDraws);
    EXPECT_NEAR(sum / kDraws, 1 / p, 4 * deviation) << p;
    for (std::size_t n = 1; n < count.size(); ++n) {
      const double expected = kDraws * p * std::pow(1 - p, static_cast<double>(n - 1));
      EXPECT_NEAR(count[n], expected, 4 * std::sqrt(expected) + 1) << p << ", gap " << n;
    }
  }
}

TEST(GeometricGap, CertainSuccessTakesOneTrial) {
  const GeometricGap gap(1);
  Random random(1);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(gap.draw(random), 1U);
}

TEST(GeometricGap, RareSuccessesKeepTheirMean) {
  for (const int exponent : {30, 42}) {
    const GeometricGap gap(std::ldexp(1.0, -exponent));
    Random random(3);
    double sum = 0;
    for (int i = 0; i < 10'000; ++i) sum += static_cast<double>(gap.draw(random));
    EXPECT_NEAR(sum / 10'000 / std::ldexp(1.0, exponent), 1, 0.04) << exponent;
  }
}

// Draws are equal on every machine: a change here changes every traffic result.
TEST(GeometricGap, DrawsAreFixed) {
  const GeometricGap gap(0.1);
  Random random(1);
  std::vector<std::uint64_t> drawn(8);
  for (std::uint64_t& trials : drawn) trials = gap.draw(random);
  EXPECT_EQ(drawn, (std::vector<std::uint64_t>{1, 30, 3, 15, 3, 5, 14, 17}));
}

}  // namespace
}  // namespace fredsim
