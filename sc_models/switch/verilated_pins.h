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

// Credit pins: one mask of `Ports` bits per VC, VC 0 lowest (bit v * Ports + p).
template <int Ports, std::integral Pin>
void set_credits(Pin& pin, const std::array<std::uint32_t, kNumVcs>& credits) {
  std::uint64_t bits = 0;
  for (int v = 0; v < kNumVcs; ++v) bits |= std::uint64_t{credits[v]} << (v * Ports);
  pin = static_cast<Pin>(bits);
}

template <int Ports, std::size_t Words>
void set_credits(VlWide<Words>& pin, const std::array<std::uint32_t, kNumVcs>& credits) {
  std::array<std::uint32_t, Words> words{};
  for (int v = 0; v < kNumVcs; ++v) {
    const int lsb = v * Ports;
    const std::uint64_t bits = std::uint64_t{credits[v]} << (lsb % 32);
    words[lsb / 32] |= static_cast<std::uint32_t>(bits);
    if (lsb / 32 + 1 < static_cast<int>(Words)) {
      words[lsb / 32 + 1] |= static_cast<std::uint32_t>(bits >> 32);
    }
  }
  std::memcpy(pin.data(), words.data(), sizeof words);
}

template <int Ports, std::integral Pin>
void get_credits(const Pin& pin, std::array<std::uint32_t, kNumVcs>& credits) {
  const auto bits = static_cast<std::uint64_t>(pin);
  for (int v = 0; v < kNumVcs; ++v) {
    credits[v] = static_cast<std::uint32_t>(bits >> (v * Ports) & ((1ULL << Ports) - 1));
  }
}

template <int Ports, std::size_t Words>
void get_credits(const VlWide<Words>& pin, std::array<std::uint32_t, kNumVcs>& credits) {
  for (int v = 0; v < kNumVcs; ++v) {
    const int lsb = v * Ports;
    std::uint64_t bits = pin.at(lsb / 32);
    if (lsb / 32 + 1 < static_cast<int>(Words)) bits |= std::uint64_t{pin.at(lsb / 32 + 1)} << 32;
    credits[v] = static_cast<std::uint32_t>(bits >> (lsb % 32) & ((1ULL << Ports) - 1));
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
