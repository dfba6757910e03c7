// SPDX-License-Identifier: Apache-2.0
// Test if flits cross in Fred_m(P): from the wiring alone (paper §4), nothing shared with the rule
//   that is checked.
//
// Between the edge of a level and its sub-networks there is one wire for every sub-network and
// every µSwitch (or odd last port) of the edge, on the input side and on the output side. A flow
// uses, per level, the sub-network of its path.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "routing/fred_routing.h"

namespace tb {

struct FlowPath {
  std::uint32_t inputs = 0, outputs = 0;
  std::uint8_t path = 0;  // 2 bits per level, outermost first
};

// Says which wire two of the flows share, or which flow uses a sub-network that is not there;
// empty: none.
std::string crossing(const fredsim::FredSwitchShape& shape, std::span<const FlowPath> flows);

}  // namespace tb
