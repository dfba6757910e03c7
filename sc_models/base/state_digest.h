// SPDX-License-Identifier: Apache-2.0
// A digest of a state, 128 bits: equal states have equal digests, and different ones collide only
// by chance. The engine detects recurring states with it (engine/memo/recurrence.h).
//
// Use: add everything that the future depends on, always in the same order.
// Flits: the header is added without the fields that number packets (index, sequence number), since
//   no behaviour of a fabric depends on them; the payload is not added.
#pragma once

#include <compare>
#include <cstdint>
#include <ranges>
#include <utility>

#include "base/flit.h"

namespace fredsim {

class StateDigest {
 public:
  // `index_mask`: bits of the trace tag that number packets; the remaining bits name the stream.
  explicit StateDigest(std::uint32_t index_mask) : kept_tag_(~index_mask) {}

  void add(std::uint64_t value) {
    low_ = (low_ ^ value) * 0x9E37'79B9'7F4A'7C15U;
    low_ ^= low_ >> 32;
    high_ = (high_ + value) * 0xC2B2'AE3D'27D4'EB4FU;
    high_ ^= high_ >> 29;
  }
  void add(const StateDigest& part) {
    add(part.low_);
    add(part.high_);
  }
  template <std::ranges::input_range Values>
  void add_all(const Values& values) {
    for (const auto& value : values) add(static_cast<std::uint64_t>(value));
  }
  void add_flit(const std::uint32_t* words) {
    add(words[0] & kept_tag_);
    add(std::uint64_t{words[1]} << 32 | (words[2] & ~kSeqField.placed(kSeqField.mask())));
  }

  auto operator<=>(const StateDigest& other) const {
    return std::pair(low_, high_) <=> std::pair(other.low_, other.high_);
  }
  bool operator==(const StateDigest& other) const {
    return low_ == other.low_ && high_ == other.high_;
  }

 private:
  std::uint32_t kept_tag_;
  std::uint64_t low_ = 0, high_ = 0;
};

}  // namespace fredsim
