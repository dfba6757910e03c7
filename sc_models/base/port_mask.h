// SPDX-License-Identifier: Apache-2.0
// A set of ports as a 32-bit mask, bit p for port p.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "base/flit.h"

namespace fredsim {

// Calls f(port) for every port of the set, lowest first.
template <typename F>
void for_each_port(std::uint32_t ports, F&& f) {
  for (; ports != 0; ports &= ports - 1) f(std::countr_zero(ports));
}

// Number of ports in the set, without the library call that std::popcount() is on a basic x86-64.
constexpr int ports_in(std::uint32_t ports) {
  ports -= ports >> 1 & 0x55555555U;
  ports = (ports & 0x33333333U) + (ports >> 2 & 0x33333333U);
  return static_cast<int>(((ports + (ports >> 4)) & 0x0F0F0F0FU) * 0x01010101U >> 24);
}

// Ports that are in the set of at least one virtual channel.
inline std::uint32_t on_any_vc(const std::array<std::uint32_t, kNumVcs>& sets) {
  static_assert(kNumVcs == 4);
  return sets[0] | sets[1] | sets[2] | sets[3];
}

}  // namespace fredsim
