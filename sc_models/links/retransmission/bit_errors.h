// SPDX-License-Identifier: Apache-2.0
// Bit errors on a wire: the position of the next error is drawn once for all bits up to it
// (base/geometric.h).
//
// An error is a wrong bit, or a burst of `burst_bits`: its first bit is wrong, each of the
//   following ones with probability 1/2, so that (burst_bits + 1) / 2 bits are wrong on average. A
//   burst continues in the next word if it reaches beyond the end of one; the next burst begins
//   after it at the earliest.
// Rate: share of wrong bits, bursts included. It sets the mean distance of bursts: a burst of N
//   bits and the gap behind it take (N + 1) / (2 rate) bits on average.
#pragma once

#include <cassert>
#include <cmath>
#include <cstdint>
#include <optional>

#include "base/geometric.h"
#include "base/random.h"

namespace fredsim {

class BitErrors {
 public:
  // rate: 0 or 1e-9 … 0.01; burst_bits: 1 … 4096.
  BitErrors(double rate, int burst_bits, std::uint64_t seed)
      : rest_of_burst_(static_cast<std::uint32_t>(burst_bits - 1)),
        inside_(inside_of(rate, burst_bits)),
        random_(seed) {
    assert(rate >= 0 && rate <= 0.01 && burst_bits >= 1);
    if (rate > 0) gap_.emplace(beginnings(rate, burst_bits));
    draw();
  }
  // Passes a word of `bits` bits: calls on_error(position) for each wrong one.
  template <typename OnError>
  void pass(std::uint32_t bits, const OnError& on_error) {
    if (in_burst_ == 0 && left_ > bits) [[likely]] {
      left_ -= bits;
      return;
    }
    for (std::uint32_t at = 0; at < bits; ++at) {
      if (in_burst_ > 0) {
        --in_burst_;
        if ((random_.next() & 1U) != 0) on_error(at);
      } else if (left_ > bits - at) {
        left_ -= bits - at;
        return;
      } else {
        at += static_cast<std::uint32_t>(left_ - 1);
        on_error(at);
        in_burst_ = rest_of_burst_;
        left_ = gap_->draw(random_);
      }
    }
  }
  // Draws the state of a wire in use anew, at a random moment, after bits that nobody looked at.
  void draw() {
    in_burst_ = inside_ != 0 && random_.next() < inside_
                    ? 1 + static_cast<std::uint32_t>(random_.below(rest_of_burst_))
                    : 0;
    left_ = gap_ ? gap_->draw(random_) : ~std::uint64_t{0};
  }

 private:
  // Probability that a bit outside of bursts begins one.
  static double beginnings(double rate, int burst_bits) {
    return burst_bits == 1 ? rate : 1 / ((burst_bits + 1) / (2 * rate) - (burst_bits - 1));
  }
  // Share of all bits that are inside a burst, behind its first bit; in units of 2^-64.
  static std::uint64_t inside_of(double rate, int burst_bits) {
    return static_cast<std::uint64_t>(
        std::ldexp(2 * rate * (burst_bits - 1) / (burst_bits + 1), 64));
  }

  std::optional<GeometricGap> gap_;
  std::uint32_t rest_of_burst_;  // bits behind the first
  std::uint64_t inside_;
  Random random_;
  std::uint32_t in_burst_ = 0;  // bits left of the current burst
  std::uint64_t left_ = 0;      // bits up to the first of the next burst, which is included
};

}  // namespace fredsim
