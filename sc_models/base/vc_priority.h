// Virtual channels in the order of their priority on a port and in the control unit (§5.4).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/flit.h"

namespace fredsim {

// Highest first.
inline constexpr std::array<int, kNumVcs> kVcPriority = [] {
  std::array<int, kNumVcs> order{};
  std::uint32_t rest = noc_pkg::VC_PRIORITY;
  for (int& vc : order) {
    vc = static_cast<int>(rest & ~(~0U << noc_pkg::VC_W));
    rest >>= noc_pkg::VC_W;
  }
  return order;
}();

// 0 is the highest priority.
constexpr int priority_rank(int vc) {
  int rank = 0;
  while (kVcPriority[static_cast<std::size_t>(rank)] != vc) ++rank;
  return rank;
}

}  // namespace fredsim
