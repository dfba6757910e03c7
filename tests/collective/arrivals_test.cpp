// SPDX-License-Identifier: Apache-2.0
// Arrivals of NPUs: overhead in whole cycles, moments of the skew, and its inputs.
#include "operations/arrivals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "config/config.h"

namespace fredsim::test {
namespace {

constexpr std::uint64_t kClockHz = 1'500'000'000;
constexpr std::uint64_t kMicrosecond = 1'000'000;  // ps

TEST(Arrivals, OverheadIsTheSameEachTimeInWholeCycles) {
  EXPECT_FALSE(Arrivals().any());
  EXPECT_EQ(Arrivals().lag(3, 4), 0U);
  const Arrivals two(2 * kMicrosecond, {}, 1, kClockHz);
  EXPECT_TRUE(two.any());
  EXPECT_EQ(two.lag(0, 0), 3000U);
  EXPECT_EQ(two.lag(9, 7), 3000U);
  EXPECT_EQ(Arrivals(1, {}, 1, kClockHz).lag(0, 0), 1U);
}

// 40 000 draws: the means within five standard errors, half of the draws below the median.
TEST(Arrivals, SkewHasTheMomentsOfItsDistribution) {
  constexpr int kDraws = 40'000;
  constexpr double kSigma = 3000;  // cycles of 2 us
  for (const SkewKind kind : {SkewKind::kUniform, SkewKind::kNormal}) {
    const Arrivals arrivals(0, {kind, 2 * kMicrosecond}, 7, kClockHz);
    double sum = 0, squares = 0;
    int below = 0;
    std::uint64_t most = 0;
    const bool is_normal = kind == SkewKind::kNormal;
    const double median = is_normal ? 0.6744898 * kSigma : kSigma / 2;
    for (int i = 0; i < kDraws; ++i) {
      const auto lag =
          arrivals.lag(static_cast<std::uint64_t>(i / 20), static_cast<std::uint64_t>(i % 20));
      const double cycles = static_cast<double>(lag) - 0.5;  // rounded up
      sum += cycles;
      squares += cycles * cycles;
      below += cycles < median ? 1 : 0;
      most = std::max(most, lag);
    }
    const double mean = is_normal ? kSigma * std::sqrt(2 / 3.14159265358979) : kSigma / 2;
    const double square = is_normal ? kSigma * kSigma : kSigma * kSigma / 3;
    const double deviation = std::sqrt(square - mean * mean);
    EXPECT_NEAR(sum / kDraws, mean, 5 * deviation / std::sqrt(kDraws));
    EXPECT_NEAR(squares / kDraws, square, 0.03 * square);
    EXPECT_NEAR(below, kDraws / 2.0, 5 * std::sqrt(kDraws) / 2);
    if (is_normal) {
      EXPECT_GT(most, 3 * kSigma);
    } else {
      EXPECT_LE(most, kSigma);
      EXPECT_GT(most, 0.999 * kSigma);
    }
  }
}

TEST(Arrivals, SkewDependsOnSeedOperationAndNpuAlone) {
  const Skew skew{SkewKind::kNormal, 2 * kMicrosecond};
  const Arrivals arrivals(kMicrosecond, skew, 1, kClockHz);
  const std::uint64_t lag = arrivals.lag(3, 4);
  EXPECT_EQ(Arrivals(kMicrosecond, skew, 1, kClockHz).lag(3, 4), lag);
  EXPECT_EQ(Arrivals(0, skew, 1, kClockHz).lag(3, 4) + 1500, lag);
  EXPECT_NE(Arrivals(kMicrosecond, skew, 2, kClockHz).lag(3, 4), lag);
  EXPECT_NE(arrivals.lag(4, 4), lag);
  EXPECT_NE(arrivals.lag(3, 5), lag);
  EXPECT_NE(arrivals.lag(4, 3), lag);
}

TEST(Arrivals, ControllersAndSwitchesAreOnTime) {
  const Topology topology = load_config("configs/mesh.yaml").topology;
  EXPECT_TRUE(Arrivals().lags(0, topology).empty());
  const Arrivals arrivals(kMicrosecond, {}, 1, topology.clock_hz);
  const std::vector<std::uint64_t> lags = arrivals.lags(0, topology);
  ASSERT_EQ(lags.size(), topology.nodes.size());
  std::size_t late = 0;
  for (std::size_t n = 0; n < lags.size(); ++n) {
    const bool is_npu = std::ranges::count(topology.npus, static_cast<NodeId>(n)) > 0;
    EXPECT_EQ(lags[n] > 0, is_npu) << topology.nodes[n].name;
    late += is_npu ? 1 : 0;
  }
  EXPECT_EQ(late, 20U);
}

}  // namespace
}  // namespace fredsim::test
