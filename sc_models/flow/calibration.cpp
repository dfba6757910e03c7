// SPDX-License-Identifier: Apache-2.0
#include "flow/calibration.h"

#include <algorithm>
#include <cmath>

namespace fredsim {
namespace {

// The calibrated size up to which a size goes; the last one beyond it.
std::uint64_t upper_end(std::uint64_t bytes) {
  const auto end = std::ranges::lower_bound(kCalibratedSizes, bytes);
  return end == kCalibratedSizes.end() ? kCalibratedSizes.back() : *end;
}

double surplus_of(const CalibrationPoint& point) { return point.exact - point.flow; }

}  // namespace

double Surplus::at(std::uint64_t bytes) const {
  if (points_.empty()) return 0;
  if (points_.size() == 1 || bytes <= points_.front().bytes) return surplus_of(points_.front());
  auto above = std::ranges::lower_bound(points_, bytes, {}, &CalibrationPoint::bytes);
  if (above == points_.end()) --above;
  const CalibrationPoint& low = *std::prev(above);
  const CalibrationPoint& high = *above;
  const auto place = [&](std::uint64_t size) {
    const auto at = static_cast<double>(size);
    return high.bytes <= kLogarithmicUpTo ? std::log2(at) : at;
  };
  const double share = (place(bytes) - place(low.bytes)) / (place(high.bytes) - place(low.bytes));
  return surplus_of(low) + share * (surplus_of(high) - surplus_of(low));
}

FlowError error_at(std::uint64_t bytes, const std::vector<CalibrationPoint>& checked) {
  FlowError error;
  for (const CalibrationPoint& point : checked) {
    if (upper_end(point.bytes) != upper_end(bytes)) continue;
    const double percent =
        point.flow == point.exact ? 0 : 100 * std::abs(point.flow / point.exact - 1);
    error.sizes.push_back(point.bytes);
    error.mean_percent += percent;
    error.worst_percent = std::max(error.worst_percent, percent);
  }
  error.mean_percent /= static_cast<double>(std::max<std::size_t>(error.sizes.size(), 1));
  return error;
}

}  // namespace fredsim
