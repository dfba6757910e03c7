// SPDX-License-Identifier: Apache-2.0
// Calibration of one work: the offset of exact runs over flows, and the residual error of flows
// with offset.
//
// A flow knows bandwidth and the longest path; an exact run also waits for credits, buffers,
//   windows, arbiters, operands and turns of phases. A work is a collective by one algorithm on one
//   group, or several concurrent ones. Its offset varies little with size, except where the plan
//   changes or data no longer fits in buffers. So the offset is measured in exact runs and
//   interpolated linearly by size: between neighbouring sizes of kCalibrationGrid, and between
//   further sizes where the error requires them (flow/calibrator.h). Below the smallest size the
//   offset is constant; above the largest it is extrapolated with the slope of the last two sizes,
//   or with a slope that is set. The slope is never below 0, since no run moves a byte faster than
//   its links.
// Error: the residual at sizes that were run exactly as checks, in the grid interval of the
//   requested size and the interval below. It is known if the interval was measured; sizes beyond
//   the grid have none.
// Sizes: bytes of the largest part; further parts are proportional.
// Units: cycles, bytes, percent.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace fredsim {

inline constexpr std::uint64_t kKiB = 1024, kMiB = 1024 * kKiB;
inline constexpr std::array<std::uint64_t, 15> kCalibrationGrid{
    4 * kKiB, 16 * kKiB, 32 * kKiB, 64 * kKiB, 128 * kKiB, 256 * kKiB, 512 * kKiB, kMiB,
    2 * kMiB, 4 * kMiB,  8 * kMiB,  16 * kMiB, 32 * kMiB,  64 * kMiB,  256 * kMiB};

// Number of the grid interval of a size: interval i lies above size i - 1 of the grid, up to size
// i. The last interval for sizes beyond the grid.
std::size_t grid_interval(std::uint64_t bytes);
// 0 for the first.
std::uint64_t grid_low(std::size_t interval);
inline std::uint64_t grid_high(std::size_t interval) { return kCalibrationGrid.at(interval); }

struct FlowError {
  std::vector<std::uint64_t> sizes{};
  double mean_percent = 0, worst_percent = 0;  // absolute errors in percent of the exact times
};

class Calibration {
 public:
  // Times of whole runs; `flow` includes the offset.
  struct Checked {
    double exact = 0, flow = 0;
    bool operator==(const Checked&) const = default;
  };

  // Adds the offset of each part at a size.
  void add_point(std::uint64_t bytes, std::vector<double> offset) {
    points_[bytes] = std::move(offset);
  }
  void add_check(std::uint64_t bytes, Checked checked) { checked_[bytes] = checked; }
  // Slope above the largest point, as of now: cycles per byte, by part.
  void set_slope(std::vector<double> slope) {
    slope_ = std::move(slope);
    slope_from_ = points_.rbegin()->first;
  }
  // Adds the points and checks of another calibration. Points of equal size agree, since runs are
  // deterministic.
  void merge(const Calibration& other);

  // Cycles by which a part exceeds its flows; below 0: the flows are slower. 0 without points.
  double offset(std::size_t part, std::uint64_t bytes) const;
  bool has_error(std::uint64_t bytes) const;
  // Empty if the error is unknown.
  FlowError error_at(std::uint64_t bytes) const;

  const std::map<std::uint64_t, std::vector<double>>& points() const { return points_; }
  const std::map<std::uint64_t, Checked>& checked() const { return checked_; }
  bool operator==(const Calibration&) const = default;

 private:
  std::map<std::uint64_t, std::vector<double>> points_;
  std::map<std::uint64_t, Checked> checked_;
  std::vector<double> slope_;  // empty: not set
  std::uint64_t slope_from_ = 0;
};

// Error of a time by flows, relative to the exact run.
double error_percent(const Calibration::Checked& checked);

}  // namespace fredsim
