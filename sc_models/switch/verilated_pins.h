// SPDX-License-Identifier: Apache-2.0
// Access to Verilated pins of any width: Verilator gives 8/16/32/64-bit integers up to 64 bits and
// an array of 32-bit words (VlWide) beyond. Bit 0 of a pin is the least significant bit of word 0.
#pragma once

#include <verilated.h>

#include <array>
#include <concepts>
#include <cstdint>
#include <cstring>

#include "base/flit.h"

namespace fredsim::pins {

template <std::integral Pin>
void set_mask(Pin& pin, std::uint32_t mask) {
  pin = static_cast<Pin>(mask);
}

template <std::integral Pin>
std::uint32_t get_mask(const Pin& pin) {
  return static_cast<std::uint32_t>(pin);
}

// Spreads bits eight apart, kNumVcs each, and collects them again.
constexpr std::uint32_t spread(std::uint32_t ports) {
  static_assert(kNumVcs == 4);
  ports = (ports | ports << 12) & 0x000f000f;
  ports = (ports | ports << 6) & 0x03030303;
  return (ports | ports << 3) & 0x11111111;
}
constexpr std::uint32_t gather(std::uint32_t bits) {
  bits &= 0x11111111;
  bits = (bits | bits >> 3) & 0x03030303;
  bits = (bits | bits >> 6) & 0x000f000f;
  return (bits | bits >> 12) & 0xff;
}

// Credit pins are port-major, bit kNumVcs * p + v, as noc_pkg::vc_index: a word has eight ports. In
// C++: one mask of ports per VC.
template <int Ports, class Pin>
void set_credits(Pin& pin, const std::array<std::uint32_t, kNumVcs>& credits) {
  constexpr int kWords = (Ports + 7) / 8;
  std::array<std::uint32_t, kWords> words{};
  for (int w = 0; w < kWords; ++w) {
    for (int v = 0; v < kNumVcs; ++v) words[w] |= spread(credits[v] >> (8 * w) & 0xff) << v;
  }
  if constexpr (std::integral<Pin>) {
    static_assert(kWords <= 2);
    std::uint64_t bits = words[0];
    if constexpr (kWords == 2) bits |= std::uint64_t{words[1]} << 32;
    pin = static_cast<Pin>(bits);
  } else {
    std::memcpy(pin.data(), words.data(), sizeof words);
  }
}

template <int Ports, class Pin>
void get_credits(const Pin& pin, std::array<std::uint32_t, kNumVcs>& credits) {
  constexpr int kWords = (Ports + 7) / 8;
  credits = {};
  for (int w = 0; w < kWords; ++w) {
    std::uint32_t word = 0;
    if constexpr (std::integral<Pin>) {
      word = static_cast<std::uint32_t>(std::uint64_t{pin} >> (32 * w));
    } else {
      word = pin.at(w);
    }
    if (word == 0) continue;
    for (int v = 0; v < kNumVcs; ++v) credits[v] |= gather(word >> v) << (8 * w);
  }
}

// Flit pins are at least 256 bits wide (two ports of header and one lane word), so always VlWide.
template <std::size_t Words>
void set_flit(VlWide<Words>& pin, int first_word, const std::uint32_t* flit, int words) {
  std::memcpy(pin.data() + first_word, flit, static_cast<std::size_t>(words) * 4);
}

template <std::size_t Words>
void get_flit(const VlWide<Words>& pin, int first_word, std::uint32_t* flit, int words) {
  std::memcpy(flit, pin.data() + first_word, static_cast<std::size_t>(words) * 4);
}

}  // namespace fredsim::pins
