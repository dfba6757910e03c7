// SPDX-License-Identifier: Apache-2.0
// Deterministic, stateless random numbers: the same on every machine for the same seed.
#pragma once

#include <cstdint>

#include "base/int128.h"

namespace fredsim {

// splitmix64's finaliser: a bijective mix of 64 bits.
constexpr std::uint64_t mix64(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

// A small sequential generator over mix64 (for tests and traffic).
class Random {
 public:
  explicit constexpr Random(std::uint64_t seed) : state_(mix64(seed)) {}
  constexpr std::uint64_t next() { return mix64(state_ += 0x9E3779B97F4A7C15ULL); }
  // Uniform in [0, n), n > 0.
  constexpr std::uint64_t below(std::uint64_t n) {
    return static_cast<std::uint64_t>((static_cast<Uint128>(next()) * n) >> 64);
  }

 private:
  std::uint64_t state_;
};

}  // namespace fredsim
