// SPDX-License-Identifier: Apache-2.0
// Surplus of exact runs over flows, and the error that is left of flows that have it.
//
// A flow knows bandwidth and the longest path; an exact run also waits for credits, arbiters, operands and turns of phases. For one collective
// by one algorithm on one group, or for several that run at the same time, the difference is close to a constant, or to one that grows with the size. So it is taken from exact runs at
// kCalibratedSizes and interpolated between them: up to kLogarithmicUpTo, where it still grows towards its constant, by the logarithm of
// the size, beyond it linearly. Below the smallest it is that of the smallest, above the largest it goes on as between the last two.
// Error: what remains at those kCheckedSizes that lie between the same two calibrated sizes as the size in question.
// Units: cycles, bytes, percent.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace fredsim {

inline constexpr std::uint64_t kKiB = 1024, kMiB = 1024 * kKiB;
inline constexpr std::array<std::uint64_t, 4> kCalibratedSizes{64 * kKiB, kMiB, 16 * kMiB,
                                                               256 * kMiB};
inline constexpr std::array<std::uint64_t, 10> kCheckedSizes{
    4 * kKiB, 16 * kKiB, 128 * kKiB, 256 * kKiB, 512 * kKiB,
    2 * kMiB, 4 * kMiB,  8 * kMiB,   32 * kMiB,  64 * kMiB};
inline constexpr std::uint64_t kLogarithmicUpTo = kMiB;

struct CalibrationPoint {
  std::uint64_t bytes = 0;
  double exact = 0, flow = 0;  // cycles
};

class Surplus {
 public:
  // None: 0 at any size.
  Surplus() = default;
  // Sizes ascending.
  explicit Surplus(std::vector<CalibrationPoint> points) : points_(std::move(points)) {}

  // Cycles to add to those of flows; below 0 where these are slower.
  double at(std::uint64_t bytes) const;

 private:
  std::vector<CalibrationPoint> points_;
};

struct FlowError {
  std::vector<std::uint64_t> sizes{};
  double mean_percent = 0, worst_percent = 0;  // of the times, either way
};

// At a size. `checked`: at kCheckedSizes, the flows with their surplus.
FlowError error_at(std::uint64_t bytes, const std::vector<CalibrationPoint>& checked);

}  // namespace fredsim
