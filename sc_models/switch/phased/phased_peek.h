// Where a Verilated switch with a phase store has its counters and the phase in use (switch/verilated_switch.h):
//
// PHASED_PEEK(class, top): the class that reads them, of a kind by its RTL top. A macro, because the name of a register
//   in a Verilated class is one word. The registers that are read without a cycle: peek.vlt.
#pragma once

#include "switch/counter_peek.h"
#include "switch/switch_shape.h"

#define PHASED_PEEK(class_name, top)                                                            \
  class class_name {                                                                            \
   public:                                                                                      \
    static constexpr int kLaunchEdges = 1;                                                      \
                                                                                                \
    explicit class_name(const SwitchShape& shape)                                               \
        : yield_(static_cast<unsigned>(shape.value("YIELD"))) {}                                \
                                                                                                \
    template <class Root>                                                                       \
    bool counters(const Root& root, int ports, SwitchCounters& into) const {                    \
      if constexpr (requires { root.top##__DOT__i_phased__DOT__i_counters__DOT__in_q; }) {      \
        PEEK_COUNTERS(root, top##__DOT__i_phased__DOT__i_counters, ports, into);                \
        return true;                                                                            \
      } else {                                                                                  \
        return false;                                                                           \
      }                                                                                         \
    }                                                                                           \
                                                                                                \
    template <class Root>                                                                       \
    bool phase(const Root& root, SwitchPhase& into) const {                                     \
      if constexpr (requires { root.top##__DOT__i_phased__DOT__i_control__DOT__phase_q; }) {    \
        const bool open =                                                                       \
            root.top##__DOT__i_phased__DOT__i_control__DOT__i_join__DOT__open_q != 0;           \
        into = {                                                                                \
            .active = root.top##__DOT__i_phased__DOT__i_control__DOT__active_q != 0,            \
            .loading = root.top##__DOT__i_phased__DOT__i_control__DOT__decided_q != 0 && !open, \
            .busy = root.top##__DOT__i_phased__DOT__i_control__DOT__silent_q != yield_ || open, \
            .phase = root.top##__DOT__i_phased__DOT__i_control__DOT__phase_q,                   \
            .vc = root.top##__DOT__i_phased__DOT__i_control__DOT__vc_q,                         \
            .next = root.top##__DOT__i_phased__DOT__i_control__DOT__next_phase_q};              \
        return true;                                                                            \
      } else {                                                                                  \
        return false;                                                                           \
      }                                                                                         \
    }                                                                                           \
                                                                                                \
   private:                                                                                     \
    unsigned yield_;                                                                            \
  }
