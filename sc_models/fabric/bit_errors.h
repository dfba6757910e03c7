// Errors on a wire, bit by bit: when the next one comes is drawn once for all bits up to it (base/geometric.h).
//
// An error is a wrong bit, or a burst: its first bit is wrong, the others by chance. What reaches beyond a word is cut off.
#pragma once

#include <cstdint>
#include <optional>

#include "base/geometric.h"
#include "base/random.h"

namespace fredsim {

class BitErrors {
 public:
  // rate: errors per bit, 0 or 2^-30 … 1.
  BitErrors(double rate, int burst_bits, std::uint64_t seed)
      : burst_bits_(burst_bits), random_(seed) {
    if (rate > 0) gap_.emplace(rate);
    draw();
  }
  // A word of so many bits passes: on_error(position) for each that is wrong.
  template <typename OnError>
  void pass(std::uint32_t bits, const OnError& on_error) {
    while (left_ <= bits) {
      const auto first = static_cast<std::uint32_t>(left_ - 1);
      on_error(first);
      for (int i = 1; i < burst_bits_ && first + static_cast<std::uint32_t>(i) < bits; ++i) {
        if ((random_.next() & 1U) != 0) on_error(first + static_cast<std::uint32_t>(i));
      }
      left_ += gap_->draw(random_);
    }
    if (gap_) left_ -= bits;
  }
  // From here on as if nothing had been drawn, which does not change the chances: bits that nobody looked at have passed.
  void draw() { left_ = gap_ ? gap_->draw(random_) : ~std::uint64_t{0}; }

 private:
  std::optional<GeometricGap> gap_;
  int burst_bits_;
  Random random_;
  std::uint64_t left_ = 0;  // the next wrong bit is the left_-th from here
};

}  // namespace fredsim
