// SPDX-License-Identifier: Apache-2.0
#include "flow/calibration.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace fredsim {

std::size_t grid_interval(std::uint64_t bytes) {
  const auto end = std::ranges::lower_bound(kCalibrationGrid, bytes);
  return end == kCalibrationGrid.end() ? kCalibrationGrid.size() - 1
                                       : static_cast<std::size_t>(end - kCalibrationGrid.begin());
}

std::uint64_t grid_low(std::size_t interval) {
  return interval == 0 ? 0 : kCalibrationGrid.at(interval - 1);
}

double error_percent(const Calibration::Checked& checked) {
  return checked.flow == checked.exact ? 0 : 100 * std::abs(checked.flow / checked.exact - 1);
}

void Calibration::merge(const Calibration& other) {
  for (const auto& [bytes, offset] : other.points_) points_[bytes] = offset;
  for (const auto& [bytes, checked] : other.checked_) checked_[bytes] = checked;
}

double Calibration::offset(std::size_t part, std::uint64_t bytes) const {
  if (points_.empty()) return 0;
  if (points_.size() == 1 || bytes <= points_.begin()->first)
    return points_.begin()->second.at(part);
  auto above = points_.lower_bound(bytes);
  const bool is_beyond = above == points_.end();
  if (is_beyond) --above;
  const auto below = std::prev(above);
  const double low = below->second.at(part), high = above->second.at(part);
  double slope = (high - low) / static_cast<double>(above->first - below->first);
  if (!is_beyond) return low + slope * static_cast<double>(bytes - below->first);
  if (slope_from_ == above->first && !slope_.empty()) slope = slope_.at(part);
  return high + std::max(0.0, slope) * static_cast<double>(bytes - above->first);
}

bool Calibration::has_error(std::uint64_t bytes) const {
  const std::size_t interval = grid_interval(bytes);
  const std::uint64_t low = grid_low(interval), high = grid_high(interval);
  if (bytes > high) return false;
  if ((low > 0 && !points_.contains(low)) || !points_.contains(high)) return false;
  const auto check = checked_.upper_bound(low);
  return check != checked_.end() && check->first < high;
}

FlowError Calibration::error_at(std::uint64_t bytes) const {
  FlowError error;
  if (!has_error(bytes)) return error;
  const std::size_t interval = grid_interval(bytes);
  const std::uint64_t low = interval > 0 ? grid_low(interval - 1) : 0;
  for (auto check = checked_.upper_bound(low);
       check != checked_.end() && check->first < grid_high(interval); ++check) {
    const double percent = error_percent(check->second);
    error.sizes.push_back(check->first);
    error.mean_percent += percent;
    error.worst_percent = std::max(error.worst_percent, percent);
  }
  error.mean_percent /= static_cast<double>(std::max<std::size_t>(error.sizes.size(), 1));
  return error;
}

}  // namespace fredsim
