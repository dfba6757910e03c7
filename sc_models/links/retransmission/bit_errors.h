// SPDX-License-Identifier: Apache-2.0
// Errors on a wire, bit by bit: when the next one comes is drawn once for all bits up to it (base/geometric.h).
//
// An error is a wrong bit, or a burst of `burst_bits`: its first bit is wrong, each of the others with probability 1/2, so
//   that (burst_bits + 1) / 2 are on average. A burst goes on in the next word where it reaches beyond the end of one; the
//   next begins after it at the earliest.
// Rate: wrong bits per bit, bursts included. Bursts begin as rarely as that takes: one of N bits, and the
//   gap behind it, are (N + 1) / (2 rate) bits on average, N of which the burst is.
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
  // A word of so many bits passes: on_error(position) for each that is wrong.
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
  // From here on at any moment of a wire in use, whatever was drawn: bits that nobody looked at have passed.
  void draw() {
    in_burst_ = inside_ != 0 && random_.next() < inside_
                    ? 1 + static_cast<std::uint32_t>(random_.below(rest_of_burst_))
                    : 0;
    left_ = gap_ ? gap_->draw(random_) : ~std::uint64_t{0};
  }

 private:
  // Probability, of a bit in no burst, that one begins with it.
  static double beginnings(double rate, int burst_bits) {
    return burst_bits == 1 ? rate : 1 / ((burst_bits + 1) / (2 * rate) - (burst_bits - 1));
  }
  // Share of the bits that are in a burst behind its first one, of 2^64.
  static std::uint64_t inside_of(double rate, int burst_bits) {
    return static_cast<std::uint64_t>(
        std::ldexp(2 * rate * (burst_bits - 1) / (burst_bits + 1), 64));
  }

  std::optional<GeometricGap> gap_;
  std::uint32_t rest_of_burst_;  // bits behind the first
  std::uint64_t inside_;
  Random random_;
  std::uint32_t in_burst_ = 0;  // bits that are left of one
  std::uint64_t left_ = 0;      // bits in no burst up to the first of the next one, that included
};

}  // namespace fredsim
