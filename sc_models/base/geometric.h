// SPDX-License-Identifier: Apache-2.0
// Gaps of a Bernoulli process, drawn from one random number each, in integers only: the same on
// every machine for the same seed (a logarithm's last bit is not).
//
// How: G failures come before a success with P(G >= n) = q^n, q = 1 - p. For a uniform u, the
// largest n with u < q^n has that distribution; it is found bit by bit from the powers q^(2^k).
// Units: probabilities in 2^-64; truncation makes a gap shorter by less than 2^-63 / p of itself.
#pragma once

#include <array>
#include <cassert>
#include <cmath>
#include <cstdint>

#include "base/int128.h"
#include "base/random.h"

namespace fredsim {

class GeometricGap {
 public:
  // p: probability of a success per trial, 2^-42 … 1.
  explicit GeometricGap(double p) {
    assert(p >= std::ldexp(1.0, -42) && p <= 1);
    if (p >= 1) return;
    std::uint64_t power = ~static_cast<std::uint64_t>(std::ldexp(p, 64)) + 1;
    for (; power != 0; power = high(power, power)) powers_[bits_++] = power;
  }
  // Trials until the next success, that one included: 1 or more, 1/p on average.
  std::uint64_t draw(Random& random) const {
    const std::uint64_t u = random.next();
    std::uint64_t failures = 0;
    std::uint64_t reached = 0;              // q^failures; 1 = 2^64 is kept as no failures
    for (int k = bits_ - 1; k >= 0; --k) {  // branch-free: no predictor could guess the bits
      const std::uint64_t product = high(reached, powers_[k]);
      const std::uint64_t next = failures == 0 ? powers_[k] : product;
      const bool fails = u < next;
      reached = fails ? next : reached;
      failures += std::uint64_t{fails} << k;
    }
    return failures + 1;
  }

 private:
  static constexpr std::uint64_t high(std::uint64_t a, std::uint64_t b) {
    return static_cast<std::uint64_t>((static_cast<Uint128>(a) * b) >> 64);
  }

  std::array<std::uint64_t, 48> powers_{};  // powers_[k]: q^(2^k)
  int bits_ = 0;
};

}  // namespace fredsim
