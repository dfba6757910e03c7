// SPDX-License-Identifier: Apache-2.0
// Numbers of µSwitches in a Fred_m(P).
#pragma once

#include "routing/fred_routing.h"

namespace fredsim {

// µSwitches of one Fred_m(P) by kind, by the recursion of routing/fred_routing.h (paper §4).
struct MicroSwitchCount {
  int reduce = 0;             // R, 2 x m
  int distribute = 0;         // D, m x 2
  int reduce_distribute = 0;  // RD, 2 x 2: every Fred_m(2) at the bottom
  int demuxes = 0;            // one at the last input port, if P is odd
  int muxes = 0;              // one at the last output port, if P is odd
  friend bool operator==(const MicroSwitchCount&, const MicroSwitchCount&) = default;
};
MicroSwitchCount count_micro_switches(const FredSwitchShape& shape);

}  // namespace fredsim
