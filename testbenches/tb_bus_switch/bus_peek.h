// SPDX-License-Identifier: Apache-2.0
// Access to the counters of a Verilated bus_switch (switch/verilated_switch.h), and its
// launch_edges(). It has no phases.
#pragma once

#include "switch/counter_peek.h"
#include "switch/switch_shape.h"

namespace fredsim {

class BusPeek {
 public:
  static constexpr int kLaunchEdges = 2;  // bus_switch.sv

  explicit BusPeek(const SwitchShape& /*shape*/) {}

  template <class Root>
  bool counters(const Root& root, int ports, SwitchCounters& into) const {
    // RTL of a user's own with these ports has another hierarchy.
    if constexpr (requires { root.bus_switch__DOT__i_counters__DOT__in_q; }) {
      PEEK_COUNTERS(root, bus_switch__DOT__i_counters, ports, into);
      return true;
    } else {
      return false;
    }
  }

  template <class Root>
  bool phase(const Root& /*root*/, SwitchPhase& /*into*/) const {
    return false;
  }
};

}  // namespace fredsim
