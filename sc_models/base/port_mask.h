// A set of ports as a 32-bit mask, bit p for port p.
#pragma once

#include <bit>
#include <cstdint>

namespace fredsim {

// Calls f(port) for every port of the set, the lowest first.
template <typename F>
void for_each_port(std::uint32_t ports, F&& f) {
  for (; ports != 0; ports &= ports - 1) f(std::countr_zero(ports));
}

}  // namespace fredsim
