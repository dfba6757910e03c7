// SPDX-License-Identifier: Apache-2.0
// Access to the counters of a Verilated voq_crossbar (switch/verilated_switch.h), and its
// launch_edges(). It has no phases.
#pragma once

#include "switch/counter_peek.h"
#include "switch/switch_shape.h"

namespace fredsim {

class VoqCrossbarPeek {
 public:
  static constexpr int kLaunchEdges = 1;  // see rtl/phased/phased_output_unit.sv

  explicit VoqCrossbarPeek(const SwitchShape& /*shape*/) {}

  template <class Root>
  bool counters(const Root& root, int ports, SwitchCounters& into) const {
    if constexpr (requires { root.voq_crossbar__DOT__i_counters__DOT__in_q; }) {
      PEEK_COUNTERS(root, voq_crossbar__DOT__i_counters, ports, into);
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
