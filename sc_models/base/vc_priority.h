// Virtual channels in the order of their priority on a port and in the control unit (§5.4).
#pragma once

#include <array>

#include "base/flit.h"

namespace fredsim {

inline constexpr std::array<int, kNumVcs> kVcPriority{kControl, kMp, kPp, kDp};

}  // namespace fredsim
