// SPDX-License-Identifier: Apache-2.0
#include "flow/calibration.h"

#include <gtest/gtest.h>

namespace fredsim {
namespace {

constexpr double kRounding = 1e-9;

TEST(Surplus, IsThatOfExactRunsAndBetweenThem) {
  const Surplus surplus({{64 * kKiB, 130, 100},
                         {kMiB, 250, 200},
                         {16 * kMiB, 2100, 2000},
                         {256 * kMiB, 33'060, 32'000}});
  EXPECT_DOUBLE_EQ(surplus.at(1), 30);
  EXPECT_DOUBLE_EQ(surplus.at(64 * kKiB), 30);
  EXPECT_DOUBLE_EQ(surplus.at(256 * kKiB), 40);  // half way by the logarithm
  EXPECT_DOUBLE_EQ(surplus.at(kMiB), 50);
  EXPECT_DOUBLE_EQ(surplus.at(17 * kMiB / 2), 75);  // half way by size
  EXPECT_DOUBLE_EQ(surplus.at(136 * kMiB), 580);
  EXPECT_DOUBLE_EQ(surplus.at(376 * kMiB), 1540);  // goes on
  EXPECT_EQ(Surplus().at(kMiB), 0);
}

TEST(Surplus, MayBeBelowNothing) {
  EXPECT_DOUBLE_EQ(Surplus({{64 * kKiB, 90, 100}, {kMiB, 200, 200}}).at(256 * kKiB), -5);
}

TEST(FlowError, IsOfTheSizesAroundASize) {
  const std::vector<CalibrationPoint> checked{
      {16 * kKiB, 10, 20}, {256 * kKiB, 20, 20}, {2 * kMiB, 110, 110}, {4 * kMiB, 100, 110}};
  const FlowError error = error_at(3 * kMiB, checked);
  EXPECT_EQ(error.sizes, (std::vector{2 * kMiB, 4 * kMiB}));
  EXPECT_NEAR(error.worst_percent, 10, kRounding);
  EXPECT_NEAR(error.mean_percent, 5, kRounding);
  EXPECT_EQ(error_at(kMiB, checked).worst_percent, 0);
  EXPECT_NEAR(error_at(1, checked).worst_percent, 100, kRounding);
}

}  // namespace
}  // namespace fredsim
