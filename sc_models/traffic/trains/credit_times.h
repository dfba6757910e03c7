// SPDX-License-Identifier: Apache-2.0
// Edges at which credits of an output can be spent for the first time, a bit each, of the next
// kEdges edges: at most one credit per edge.
//
// Use: edges are added in ascending order, and taken in ascending order by the owner, which knows
// the edge up to which it has taken all.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace fredsim::trains {

using Edge = std::uint32_t;
inline constexpr Edge kNever = ~Edge{0};
inline constexpr Edge kEdges = 512;  // how far ahead anything is known

class CreditTimes {
 public:
  void clear() { words_ = {}; }
  // Adds `count` edges from `first` on, at most a word's.
  void add(Edge first, std::uint32_t count) {
    const std::uint64_t run = (std::uint64_t{1} << count) - 1;
    const std::uint32_t bit = first % kBits;
    words_[word(first)] |= run << bit;
    if (bit + count > kBits) words_[word(first + kBits)] |= run >> (kBits - bit);
  }
  void add_one(Edge edge) { words_[word(edge)] |= std::uint64_t{1} << (edge % kBits); }
  // Removes the edges in (from, to] and returns their number.
  std::uint32_t take(Edge from, Edge to) {
    std::uint32_t taken = 0;
    Edge edge = to - from > kEdges ? to - kEdges + 1 : from + 1;
    while (edge <= to) {
      const std::uint32_t bit = edge % kBits;
      const std::uint32_t span = std::min(kBits - bit, to - edge + 1);
      std::uint64_t& bits = words_[word(edge)];
      if (bits != 0) {
        const std::uint64_t mask = ~std::uint64_t{0} >> (kBits - span) << bit;
        taken += number_of(bits & mask);
        bits &= ~mask;
      }
      edge += span;
    }
    return taken;
  }
  // Removes one edge; 1 if it was there.
  std::uint32_t take_one(Edge edge) {
    std::uint64_t& bits = words_[word(edge)];
    const std::uint64_t there = bits >> (edge % kBits) & 1U;
    bits ^= there << (edge % kBits);
    return static_cast<std::uint32_t>(there);
  }
  // The `number`th edge after `edge`, 1 or more, kNever if it is not known. All before are taken.
  Edge next(Edge edge, std::uint32_t number = 1) const {
    for (Edge at = edge + 1; at - edge < kEdges;) {
      std::uint64_t bits = words_[word(at)] >> (at % kBits);
      if (bits == 0) {
        at += kBits - at % kBits;
        continue;
      }
      const auto gap = static_cast<std::uint32_t>(std::countr_zero(bits));
      if (at + gap - edge >= kEdges) return kNever;
      at += gap;
      if (--number == 0) return at;
      ++at;
    }
    return kNever;
  }

 private:
  static constexpr std::uint32_t kBits = 64;
  // The bits that are set: few as a rule, and std::popcount() is a call where the processor may lack
  // the instruction.
  static std::uint32_t number_of(std::uint64_t bits) {
    constexpr std::uint64_t kPairs = 0x5555555555555555U, kFours = 0x3333333333333333U,
                            kBytes = 0x0F0F0F0F0F0F0F0FU, kSum = 0x0101010101010101U;
    bits -= bits >> 1 & kPairs;
    bits = (bits & kFours) + (bits >> 2 & kFours);
    return static_cast<std::uint32_t>(((bits + (bits >> 4)) & kBytes) * kSum >> 56);
  }
  static std::uint32_t word(Edge edge) { return edge / kBits % (kEdges / kBits); }

  std::array<std::uint64_t, kEdges / kBits> words_{};
};

}  // namespace fredsim::trains
