// SPDX-License-Identifier: Apache-2.0
// An exact non-negative rational, always in lowest terms. Used for link rates in flits per cycle.
#pragma once

#include <cstdint>
#include <numeric>

namespace fredsim {

struct Rational {
  std::uint64_t num = 0;
  std::uint64_t den = 1;  // > 0

  static constexpr Rational reduced(std::uint64_t num, std::uint64_t den) {
    const std::uint64_t g = std::gcd(num, den);
    return g == 0 ? Rational{0, 1} : Rational{num / g, den / g};
  }
  constexpr double value() const { return static_cast<double>(num) / static_cast<double>(den); }
  friend constexpr bool operator==(const Rational&, const Rational&) = default;
};

}  // namespace fredsim
