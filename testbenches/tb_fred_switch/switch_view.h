// SPDX-License-Identifier: Apache-2.0
// Input of the rules of a FRED switch (switch_rules.h): buffers and staging before a clock edge,
// and the flits that enter the interconnect at it. Written from the contracts in rtl/.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "switch/switch_core.h"
#include "tested_switch.h"

namespace fredsim::tb {

// Position of a VC in an order; 0 is the highest priority.
inline int rank(const VcOrder& order, int vc) {
  int place = 0;
  while (order.at(static_cast<std::size_t>(place)) != vc) ++place;
  return place;
}

inline bool has(std::uint32_t mask, int index) { return (mask >> index & 1U) != 0; }

// Flits that enter the interconnect together at one edge: all flits of a flow, or an online
// unicast.
struct Entry {
  int vc = 0;
  std::uint32_t inputs = 0, outputs = 0;
};

struct SwitchView {
  explicit SwitchView(const TestedSwitch& s)
      : shape(s),
        inputs(static_cast<std::size_t>(s.ports())),
        outputs(static_cast<std::size_t>(s.ports())) {}

  // Head-of-line flit of an input buffer; nullptr: empty.
  const FlitHeader* hol(int input, int vc) const {
    const auto& flits = inputs[input][vc];
    return flits.empty() ? nullptr : &flits.front();
  }
  // True if the staging has places for a whole packet.
  bool room(int output, int vc) const {
    return outputs[output][vc].places >= (vc == kControl ? 1 : shape.packet_flits);
  }
  bool room(std::uint32_t mask, int vc) const {
    for (int o = 0; o < shape.ports(); ++o) {
      if (has(mask, o) && (!room(o, vc) || outputs[o][vc].online_from >= 0)) return false;
    }
    return true;
  }

  struct Output {
    int places = 0;        // free places of staging, not reserved
    int credits = 0;       // credits of the receiver
    bool inside = false;   // the head of a packet of a phase was launched, its tail was not
    int online_from = -1;  // input of the online packet that is open here
    std::deque<FlitHeader> staged;  // flits that may be launched
  };
  // Restrictions of an interconnect in which flits wait at the edge to come: no flits of the phase
  // at these inputs, no unicasts to these outputs; no starts of unicast packets of this VC to these
  // outputs.
  std::uint32_t held = 0, closed = 0, in_flight = 0;
  int in_flight_vc = kMp;

  TestedSwitch shape;
  std::vector<std::array<std::deque<FlitHeader>, kNumVcs>> inputs;
  std::vector<std::array<Output, kNumVcs>> outputs;
};

}  // namespace fredsim::tb
