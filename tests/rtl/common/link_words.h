// SPDX-License-Identifier: Apache-2.0
// Words of a link with retransmission, there and back, as link_pkg lays it out, with a check that
// is computed bit by bit.
#pragma once

#include <array>
#include <cstdint>

#include "rtl/bench.h"
#include "rtl/link_pkg.h"

namespace fredsim {

// Check of `width` bits: CRC-32C, bit by bit from the highest one on, inverted.
template <class Bits>
std::uint32_t link_check_of(const Bits& data, int width) {
  std::uint32_t rest = 0;
  for (int at = width - 1; at >= 0; --at) {
    const bool high = (rest >> 31 & 1U) != 0;
    rest = rest << 1;
    if (high != bit(data, at)) rest ^= link_pkg::CHECK_POLYNOMIAL;
  }
  return ~rest;
}

// A flit of 64 bits on the wire.
struct WireWord {
  static constexpr int kFlitBits = 64, kSeqAt = kFlitBits, kRoundAt = kSeqAt + link_pkg::SEQ_W;
  static constexpr int kDataBits = kRoundAt + link_pkg::ROUND_W;
  std::array<std::uint32_t, (kDataBits + link_pkg::CHECK_W + 31) / 32> words{};

  WireWord(std::uint64_t flit, unsigned seq, unsigned round) {
    set_bits(words, 0, kFlitBits, flit);
    set_bits(words, kSeqAt, link_pkg::SEQ_W, seq);
    set_bits(words, kRoundAt, link_pkg::ROUND_W, round);
    set_bits(words, kDataBits, link_pkg::CHECK_W, link_check_of(words, kDataBits));
  }
};

// Word of the return channel. given: credits so far of every virtual channel.
struct WordBack {
  static constexpr int kCreditsAt = link_pkg::SEQ_W + link_pkg::ROUND_W;
  static constexpr int kCreditBits = 8;
  std::array<std::uint32_t, (link_pkg::BACK_W + 31) / 32> words{};

  WordBack(unsigned expected, unsigned round, const std::array<std::uint8_t, 4>& given) {
    set_bits(words, 0, link_pkg::SEQ_W, expected);
    set_bits(words, link_pkg::SEQ_W, link_pkg::ROUND_W, round);
    for (int v = 0; v < 4; ++v)
      set_bits(words, kCreditsAt + kCreditBits * v, kCreditBits,
               given[static_cast<std::size_t>(v)]);
    set_bits(words, link_pkg::BACK_DATA_W, link_pkg::CHECK_W,
             link_check_of(words, link_pkg::BACK_DATA_W));
  }
};

}  // namespace fredsim
