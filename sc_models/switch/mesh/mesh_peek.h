// SPDX-License-Identifier: Apache-2.0
// Access to the counters of a Verilated mesh_router (switch/verilated_switch.h), and its
// launch_edges(). It has no phases.
#pragma once

#include "switch/counter_peek.h"
#include "switch/switch_shape.h"

namespace fredsim {

class MeshPeek {
 public:
  static constexpr int kLaunchEdges = 2;  // see rtl/mesh/mesh_router.sv

  explicit MeshPeek(const SwitchShape& /*shape*/) {}

  template <class Root>
  bool counters(const Root& root, int ports, SwitchCounters& into) const {
    if constexpr (requires { root.mesh_router__DOT__i_counters__DOT__in_q; }) {
      PEEK_COUNTERS(root, mesh_router__DOT__i_counters, ports, into);
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
