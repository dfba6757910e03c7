// SPDX-License-Identifier: Apache-2.0
// Access to the counters and the phase in use of a Verilated switch with a phase store
// (switch/verilated_switch.h).
//
// PHASED_PEEK(class, top): defines the class that reads them, for a kind with this RTL top. A
//   macro, because the name of a register in a Verilated class is one word. peek.vlt lists the
//   registers that are read without a cycle.
#pragma once

#include <bit>
#include <cstdint>

#include "switch/counter_peek.h"
#include "switch/phased/phased_shape.h"
#include "switch/switch_shape.h"

namespace fredsim {

// Value of silent_q in a control unit whose phases are all silent.
inline unsigned all_silent(const SwitchShape& shape) {
  const auto yield = static_cast<unsigned>(shape.value("YIELD"));
  return phases_in_use_of(shape) == 1 ? yield : yield | yield << std::bit_width(yield);
}

}  // namespace fredsim

#define PHASED_PEEK(class_name, top)                                                             \
  class class_name {                                                                             \
   public:                                                                                       \
    static constexpr int kLaunchEdges = 1;                                                       \
                                                                                                 \
    explicit class_name(const SwitchShape& shape) : silent_(all_silent(shape)) {}                \
                                                                                                 \
    template <class Root>                                                                        \
    bool counters(const Root& root, int ports, SwitchCounters& into) const {                     \
      if constexpr (requires { root.top##__DOT__i_phased__DOT__i_counters__DOT__in_q; }) {       \
        PEEK_COUNTERS(root, top##__DOT__i_phased__DOT__i_counters, ports, into);                 \
        return true;                                                                             \
      } else {                                                                                   \
        return false;                                                                            \
      }                                                                                          \
    }                                                                                            \
                                                                                                 \
    template <class Root>                                                                        \
    bool phase(const Root& root, SwitchPhase& into) const {                                      \
      if constexpr (requires { root.top##__DOT__i_phased__DOT__i_control__DOT__phase_q; }) {     \
        const bool open =                                                                        \
            root.top##__DOT__i_phased__DOT__i_control__DOT__i_join__DOT__open_q != 0;            \
        /* The first of two phases in use, or the only one. */                                   \
        const unsigned active = root.top##__DOT__i_phased__DOT__i_control__DOT__active_q;        \
        const unsigned phases = root.top##__DOT__i_phased__DOT__i_control__DOT__phase_q;         \
        const unsigned vcs = root.top##__DOT__i_phased__DOT__i_control__DOT__vc_q;               \
        const bool second = active == 2;                                                         \
        into = {                                                                                 \
            .active = active != 0,                                                               \
            .loading = root.top##__DOT__i_phased__DOT__i_control__DOT__decided_q != 0 && !open,  \
            .busy = root.top##__DOT__i_phased__DOT__i_control__DOT__silent_q != silent_ || open, \
            .phase = static_cast<std::uint8_t>(phases >> (second ? noc_pkg::PHASE_W : 0)),       \
            .vc = static_cast<std::uint8_t>(vcs >> (second ? noc_pkg::VC_W : 0) & 3U),           \
            .next = root.top##__DOT__i_phased__DOT__i_control__DOT__next_phase_q};               \
        return true;                                                                             \
      } else {                                                                                   \
        return false;                                                                            \
      }                                                                                          \
    }                                                                                            \
                                                                                                 \
   private:                                                                                      \
    unsigned silent_;                                                                            \
  }
