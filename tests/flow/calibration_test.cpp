// SPDX-License-Identifier: Apache-2.0
#include "flow/calibration.h"

#include <gtest/gtest.h>

namespace fredsim {
namespace {

constexpr double kRounding = 1e-9;

Calibration::Checked checked(double exact, double flow) { return {exact, flow}; }

TEST(Calibration, InterpolatesBetweenNeighbours) {
  Calibration calibration;
  EXPECT_EQ(calibration.offset(0, kMiB), 0);
  calibration.add_point(64 * kKiB, {30, -5});
  EXPECT_DOUBLE_EQ(calibration.offset(0, 1), 30);
  EXPECT_DOUBLE_EQ(calibration.offset(1, kMiB), -5);
  calibration.add_point(128 * kKiB, {50, -15});
  calibration.add_point(256 * kKiB, {50, 5});
  EXPECT_DOUBLE_EQ(calibration.offset(0, 64 * kKiB), 30);
  EXPECT_DOUBLE_EQ(calibration.offset(0, 96 * kKiB), 40);
  EXPECT_DOUBLE_EQ(calibration.offset(1, 96 * kKiB), -10);
  EXPECT_DOUBLE_EQ(calibration.offset(1, 256 * kKiB), 5);
  EXPECT_DOUBLE_EQ(calibration.offset(1, 384 * kKiB), 25);  // goes on
}

// Above the largest point the slope is the slope of the last two points, but never negative, or one
// that is set there.
TEST(Calibration, GoesOnAboveTheLargestSize) {
  Calibration calibration;
  calibration.add_point(kMiB, {100, 100});
  calibration.add_point(2 * kMiB, {150, 40});
  EXPECT_DOUBLE_EQ(calibration.offset(0, 64 * kMiB), 150 + 62 * 50);
  EXPECT_DOUBLE_EQ(calibration.offset(1, 64 * kMiB), 40);
  calibration.set_slope({10.0 / static_cast<double>(kMiB), 0});
  EXPECT_DOUBLE_EQ(calibration.offset(0, 64 * kMiB), 150 + 62 * 10);
  EXPECT_DOUBLE_EQ(calibration.offset(0, kMiB + kMiB / 2), 125);
  calibration.add_point(4 * kMiB, {250, 40});
  EXPECT_DOUBLE_EQ(calibration.offset(0, 64 * kMiB), 250 + 60 * 50);
}

TEST(Calibration, KnowsTheErrorOfWhatWasMeasured) {
  Calibration calibration;
  calibration.add_point(64 * kKiB, {0});
  calibration.add_point(128 * kKiB, {0});
  calibration.add_point(512 * kKiB, {0});
  calibration.add_check(90 * kKiB, checked(100, 110));
  EXPECT_TRUE(calibration.has_error(96 * kKiB));
  EXPECT_TRUE(calibration.has_error(128 * kKiB));
  EXPECT_FALSE(calibration.has_error(64 * kKiB));
  EXPECT_FALSE(calibration.has_error(200 * kKiB));
  EXPECT_TRUE(calibration.error_at(200 * kKiB).sizes.empty());
  calibration.add_point(256 * kKiB, {0});
  calibration.add_check(200 * kKiB, checked(100, 98));
  calibration.add_check(400 * kKiB, checked(100, 50));
  // Its own interval counts and the one below, but not the ones above.
  const FlowError error = calibration.error_at(256 * kKiB);
  EXPECT_EQ(error.sizes, (std::vector{90 * kKiB, 200 * kKiB}));
  EXPECT_NEAR(error.worst_percent, 10, kRounding);
  EXPECT_NEAR(error.mean_percent, 6, kRounding);
}

// Interval 0 has no lower end; beyond the last one nothing was measured.
TEST(Calibration, HasAnErrorAtBothEndsOfTheGrid) {
  Calibration calibration;
  calibration.add_point(4 * kKiB, {1});
  calibration.add_check(kKiB, checked(100, 101));
  EXPECT_NEAR(calibration.error_at(1).worst_percent, 1, kRounding);
  calibration.add_point(64 * kMiB, {1});
  calibration.add_point(256 * kMiB, {1});
  calibration.add_check(100 * kMiB, checked(100, 103));
  EXPECT_NEAR(calibration.error_at(256 * kMiB).worst_percent, 3, kRounding);
  EXPECT_FALSE(calibration.has_error(256 * kMiB + 1));
  EXPECT_TRUE(calibration.error_at(1024 * kMiB).sizes.empty());
}

TEST(Calibration, MergesSizes) {
  Calibration one, other;
  one.add_point(64 * kKiB, {1});
  other.add_point(128 * kKiB, {3});
  other.add_check(90 * kKiB, checked(1, 2));
  one.merge(other);
  EXPECT_DOUBLE_EQ(one.offset(0, 96 * kKiB), 2);
  EXPECT_EQ(one.checked(), other.checked());
}

TEST(CalibrationGrid, IntervalsEndAtItsSizes) {
  for (std::size_t i = 0; i < kCalibrationGrid.size(); ++i) {
    EXPECT_EQ(grid_interval(kCalibrationGrid[i]), i);
    EXPECT_EQ(grid_interval(grid_low(i) + 1), i);
    EXPECT_LT(grid_low(i), grid_high(i));
  }
  EXPECT_EQ(grid_interval(kCalibrationGrid.back() + 1), kCalibrationGrid.size() - 1);
}

}  // namespace
}  // namespace fredsim
