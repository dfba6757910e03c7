// Where a Verilated fred_switch has its counters and the phase in use (switch/verilated_switch.h).
#pragma once

#include "switch/counter_peek.h"
#include "switch/switch_shape.h"

namespace fredsim {

class FredPeek {
 public:
  static constexpr int kLaunchEdges = 1;

  explicit FredPeek(const SwitchShape& shape)
      : yield_(static_cast<unsigned>(shape.value("YIELD"))) {}

  template <class Root>
  bool counters(const Root& root, int ports, SwitchCounters& into) const {
    if constexpr (requires { root.fred_switch__DOT__i_counters__DOT__in_q; }) {
      PEEK_COUNTERS(root, fred_switch__DOT__i_counters, ports, into);
      return true;
    } else {
      return false;
    }
  }

  template <class Root>
  bool phase(const Root& root, SwitchPhase& into) const {
    if constexpr (requires { root.fred_switch__DOT__i_control__DOT__phase_q; }) {
      into = {.active = root.fred_switch__DOT__i_control__DOT__active_q != 0,
              .loading = root.fred_switch__DOT__i_control__DOT__decided_q != 0 &&
                         root.fred_switch__DOT__i_control__DOT__i_join__DOT__open_q == 0,
              .busy = root.fred_switch__DOT__i_control__DOT__silent_q != yield_ ||
                      root.fred_switch__DOT__i_control__DOT__i_join__DOT__open_q != 0,
              .phase = root.fred_switch__DOT__i_control__DOT__phase_q,
              .vc = root.fred_switch__DOT__i_control__DOT__vc_q,
              .next = root.fred_switch__DOT__i_control__DOT__next_phase_q};
      return true;
    } else {
      return false;
    }
  }

 private:
  unsigned yield_;
};

}  // namespace fredsim
