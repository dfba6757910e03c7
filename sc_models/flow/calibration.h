// SPDX-License-Identifier: Apache-2.0
// Surplus of exact runs over flows of one work, and the error that is left of flows that have it.
//
// A flow knows bandwidth and the longest path; an exact run also waits for credits, buffers,
//   windows, arbiters, operands and turns of phases. For one work, a collective by one algorithm on
//   one group or several at the same time, that difference changes little from a size to the next,
//   but where the plan, or what fits into buffers, becomes another. So it is taken from exact runs
//   and interpolated between them, linearly by size: between neighbouring sizes of
//   kCalibrationGrid, and others between those where the error asks for them (flow/calibrator.h).
//   Below the smallest it is that of the smallest, above the largest it goes on with the slope of
//   the last two, or one that is set; never with one below 0, since no run is faster by the byte
//   than what its links carry.
// Error: what remains at sizes that were run exactly for nothing else, those in the same interval
//   of the grid as the size in question and in the one below it. Known where its interval was
//   measured; sizes beyond the grid have none.
// Sizes are those of the largest part; the others are in proportion.
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

// Number of the interval that a size is in: interval i goes from the size i - 1 of the grid,
// without it, up to i. The last one for sizes beyond the grid.
std::size_t grid_interval(std::uint64_t bytes);
// 0 for the first.
std::uint64_t grid_low(std::size_t interval);
inline std::uint64_t grid_high(std::size_t interval) { return kCalibrationGrid.at(interval); }

struct FlowError {
  std::vector<std::uint64_t> sizes{};
  double mean_percent = 0, worst_percent = 0;  // in percent of the times, either way
};

class Calibration {
 public:
  // Whole runs; of flows with their surplus.
  struct Checked {
    double exact = 0, flow = 0;
    bool operator==(const Checked&) const = default;
  };

  // By part.
  void add_point(std::uint64_t bytes, std::vector<double> surplus) {
    points_[bytes] = std::move(surplus);
  }
  void add_check(std::uint64_t bytes, Checked checked) { checked_[bytes] = checked; }
  // Slope above the largest point, as of now: cycles per byte, by part.
  void set_slope(std::vector<double> slope) {
    slope_ = std::move(slope);
    slope_from_ = points_.rbegin()->first;
  }
  // Measured again it is the same, since runs are.
  void merge(const Calibration& other);

  // Cycles that a part takes longer than its flows; below 0 where these are slower. 0 without
  // points.
  double surplus(std::size_t part, std::uint64_t bytes) const;
  bool has_error(std::uint64_t bytes) const;
  // Nothing where there is none.
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

// A time by flows against that of the exact run.
double error_percent(const Calibration::Checked& checked);

}  // namespace fredsim
