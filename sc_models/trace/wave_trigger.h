// SPDX-License-Identifier: Apache-2.0
// Watches a run for the trigger of a waveform (WaveTrigger, trace/wave_options.h).
//
// Use: begin_run(); then launch() for each launch of an edge, and edge() after it.
// Errors: BadInput if counters are needed and no switch in scope can be peeked.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/flit.h"
#include "base/vc_order.h"
#include "switch/switch_core.h"
#include "trace/wave_options.h"

namespace fredsim {

class TriggerWatch {
 public:
  // `switches`: switches in scope; `links`: number of watched links; `order`: the machine's.
  TriggerWatch(const WaveTrigger& trigger, const std::vector<const SwitchCore*>& switches,
               std::size_t links, const VcOrder& order);

  void begin_run();
  void launch(int link, const FlitHeader& header);
  bool edge();  // true if the condition held at it

 private:
  struct Watched {
    const SwitchCore* core;
    std::uint64_t count = 0;          // phase changes or stalls so far
    std::uint64_t cycles_in_row = 0;  // number of last cycles in which it has grown
  };

  void watch_preemption(int link, const FlitHeader& header);
  void watch_counters();

  WaveTrigger trigger_;
  std::vector<Watched> switches_;
  std::vector<std::uint32_t> open_;  // index: link; a bit per VC with a packet in flight
  std::array<std::uint32_t, kNumVcs> lower_vcs_;  // bits of the VCs of lower priority than each
  SwitchCounters counters_;
  bool seen_ = false;
};

}  // namespace fredsim
