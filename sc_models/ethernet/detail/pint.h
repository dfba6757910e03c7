// SPDX-License-Identifier: Apache-2.0
// Load of a port as PINT carries it: a power of a base, of the load times 4096.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/random.h"

namespace fredsim {

inline constexpr double kPintUnit = 4096;

inline double pint_use(int power, double base) { return std::pow(base, power) / kPintUnit; }

// Rounded up or down at random, in proportion.
inline int pint_power(double use, double base, Random& random) {
  const double power = std::log(std::max(use * kPintUnit, 1.0)) / std::log(base);
  const double whole = std::floor(power);
  constexpr std::uint64_t kParts = std::uint64_t{1} << 32;
  const bool is_up =
      static_cast<double>(random.below(kParts)) < (power - whole) * static_cast<double>(kParts);
  return static_cast<int>(whole) + (is_up ? 1 : 0);
}

}  // namespace fredsim
