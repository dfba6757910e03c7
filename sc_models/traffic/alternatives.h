// SPDX-License-Identifier: Apache-2.0
// Draws one of several numbers by their weights, from one random number each and in integers: the
// same on every machine for the same seed.
//
// Units: probabilities in 2^-53, rounded down; the last number has the remainder.
#pragma once

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/random.h"

namespace fredsim {

class Alternatives {
 public:
  Alternatives() = default;
  // Pairs of a number and its weight, 0 or more; at least one is above 0.
  explicit Alternatives(std::span<const std::pair<int, double>> weights) {
    double total = 0;
    for (const auto& [number, weight] : weights) total += weight;
    assert(total > 0);
    double sum = 0;
    for (const auto& [number, weight] : weights) {
      if (weight <= 0) continue;
      sum += weight;
      below_.push_back(static_cast<std::uint64_t>(std::ldexp(std::min(sum / total, 1.0), kBits)));
      numbers_.push_back(number);
    }
    below_.back() = std::uint64_t{1} << kBits;
  }

  bool empty() const { return numbers_.empty(); }
  const std::vector<int>& numbers() const { return numbers_; }
  int draw(Random& random) const {
    const std::uint64_t drawn = random.next() >> (64 - kBits);
    return numbers_[static_cast<std::size_t>(std::ranges::upper_bound(below_, drawn) -
                                             below_.begin())];
  }

 private:
  static constexpr int kBits = 53;

  std::vector<std::uint64_t> below_;  // ascending: draws below it, of 2^53
  std::vector<int> numbers_;          // numbers with weights above 0
};

}  // namespace fredsim
