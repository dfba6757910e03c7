// Virtual channels in the order of their priority on a port and in the control unit (§5.4).
#pragma once

#include <array>
#include <cstddef>

#include "base/flit.h"

namespace fredsim {

inline constexpr std::array<int, kNumVcs> kVcPriority{kControl, kMp, kPp, kDp};

// 0 is the highest priority.
constexpr int priority_rank(int vc) {
  int rank = 0;
  while (kVcPriority[static_cast<std::size_t>(rank)] != vc) ++rank;
  return rank;
}

}  // namespace fredsim
