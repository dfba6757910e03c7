// SPDX-License-Identifier: Apache-2.0
#include "report/point_times.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace fredsim {
namespace {

TEST(PointTimes, NothingIsKnownBeforeTheFirst) {
  PointTimes times({{"mesh"}, {"fred"}});
  EXPECT_FALSE(times.forecast(0));
  times.note(0, 3);
  EXPECT_NEAR(*times.forecast(1), 3, 1e-9) << "as long as all";
}

// Points of 2 machines x 5 sizes whose time is a product: the small sizes of both machines and all
// sizes of one predict the remaining times.
TEST(PointTimes, KnowWhatTheValuesOfAxesCost) {
  std::vector<std::vector<std::string>> values;
  std::vector<double> seconds;
  for (const double machine : {1.0, 5.0}) {
    for (double size = 1; size < 1000; size *= 4) {
      values.push_back({std::to_string(machine), std::to_string(size)});
      seconds.push_back(machine * size);
    }
  }
  PointTimes times(values);
  double left = 0;
  for (std::size_t point = 0; point < seconds.size(); ++point) left += seconds[point];
  for (std::size_t point = 0; point < seconds.size(); ++point) {
    double forecast = 0;
    for (std::size_t other = point; other < seconds.size() && point > 0; ++other)
      forecast += *times.forecast(other);
    if (point > seconds.size() / 2) {
      EXPECT_LT(forecast, 3 * left) << point;
      EXPECT_GT(forecast, left / 3) << point;
    }
    times.note(point, seconds[point]);
    left -= seconds[point];
  }
}

}  // namespace
}  // namespace fredsim
