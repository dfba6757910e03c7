// SPDX-License-Identifier: Apache-2.0
#include "report/point_times.h"

#include <algorithm>
#include <cmath>

namespace fredsim {
namespace {

constexpr double kShortest = 1e-3;  // seconds; shorter times count as equal
constexpr int kRounds = 12;         // rounds of the fit: unbalanced axes converge

}  // namespace

void PointTimes::note(std::size_t point, double seconds) {
  complete_.emplace_back(point, std::log(std::max(seconds, kShortest)));
  fit();
}

void PointTimes::fit() {
  all_ = 0;
  for (const auto& [point, log] : complete_) all_ += log / static_cast<double>(complete_.size());
  axes_.clear();
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t axis = 0;; ++axis) {
      // sum of residuals, number of points
      std::map<std::string, std::pair<double, double>> of_value;
      for (const auto& [point, log] : complete_) {
        if (axis >= values_[point].size()) continue;
        const std::string& value = values_[point][axis];
        const double own =
            axis < axes_.size() && axes_[axis].contains(value) ? axes_[axis][value] : 0;
        auto& [sum, points] = of_value[value];
        sum += log - all_ - sum_of_factors(point) + own;
        ++points;
      }
      if (of_value.empty()) break;
      if (axis == axes_.size()) axes_.emplace_back();
      for (const auto& [value, sum] : of_value) axes_[axis][value] = sum.first / sum.second;
    }
  }
}

double PointTimes::sum_of_factors(std::size_t point) const {
  double log = 0;
  for (std::size_t axis = 0; axis < std::min(axes_.size(), values_[point].size()); ++axis) {
    const auto found = axes_[axis].find(values_[point][axis]);
    if (found != axes_[axis].end()) log += found->second;
  }
  return log;
}

std::optional<double> PointTimes::forecast(std::size_t point) const {
  if (complete_.empty()) return std::nullopt;
  return std::exp(all_ + sum_of_factors(point));
}

}  // namespace fredsim
