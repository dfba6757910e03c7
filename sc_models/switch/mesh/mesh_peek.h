// Where a Verilated mesh_router has its counters (switch/verilated_switch.h). It has no phases.
#pragma once

#include "switch/counter_peek.h"

namespace fredsim {

struct MeshPeek {
  template <class Root>
  static bool counters(const Root& root, int ports, SwitchCounters& into) {
    if constexpr (requires { root.mesh_router__DOT__i_counters__DOT__in_q; }) {
      PEEK_COUNTERS(root, mesh_router__DOT__i_counters, ports, into);
      return true;
    } else {
      return false;
    }
  }

  template <class Root>
  static bool phase(const Root& /*root*/, SwitchPhase& /*into*/) {
    return false;
  }
};

}  // namespace fredsim
