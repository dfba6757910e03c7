// SPDX-License-Identifier: Apache-2.0
// Watches a run for what a waveform is to show (WaveTrigger, trace/wave_options.h).
//
// Use: begin_run(); then of every edge each launch(), and after it edge().
// Errors: BadInput where counters are needed and no switch in scope tells them.
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
  // `switches`: those in scope; `links`: how many are watched; `order`: of the machine.
  TriggerWatch(const WaveTrigger& trigger, const std::vector<const SwitchCore*>& switches,
               std::size_t links, const VcOrder& order);

  void begin_run();
  void launch(int link, const FlitHeader& header);
  bool edge();  // true if the condition held at it

 private:
  struct Watched {
    const SwitchCore* core;
    std::uint64_t count = 0;          // phase changes or stalls so far
    std::uint64_t cycles_in_row = 0;  // up to now, in which it has grown
  };

  void watch_preemption(int link, const FlitHeader& header);
  void watch_counters();

  WaveTrigger trigger_;
  std::vector<Watched> switches_;
  std::vector<std::uint32_t> open_;               // by link: bit per VC with a packet under way
  std::array<std::uint32_t, kNumVcs> lower_vcs_;  // bits of the VCs of lower priority than each
  SwitchCounters counters_;
  bool seen_ = false;
};

}  // namespace fredsim
