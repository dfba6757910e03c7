// What a Fred_m(P) is made of.
#pragma once

#include "routing/fred_routing.h"

namespace fredsim {

// µSwitches of one Fred_m(P) by kind, by the recursion of routing/fred_routing.h (paper §4).
struct MicroSwitchCount {
  int reduce = 0;             // R, 2 x m
  int distribute = 0;         // D, m x 2
  int reduce_distribute = 0;  // RD, 2 x 2: every Fred_m(2) at the bottom
  int demuxes = 0;            // of the last input port, where P is odd
  int muxes = 0;              // of the last output port, where P is odd
  friend bool operator==(const MicroSwitchCount&, const MicroSwitchCount&) = default;
};
MicroSwitchCount count_micro_switches(const FredSwitchShape& shape);

}  // namespace fredsim
