// SPDX-License-Identifier: Apache-2.0
// How nodes of execution traces become tasks where the traces leave a choice: algorithms of
// collectives, times of computations, loads and stores.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "plan/collective.h"

namespace fredsim {

// Time of loads and stores: latency, then bytes over bandwidth.
struct TraceMemory {
  std::uint64_t latency_ps = 0;
  std::uint64_t bandwidth = 0;  // bytes/s; 0: that of the NPU's own memory
  bool is_missing = false;      // traces with loads and stores are refused
};

struct TraceRules {
  enum class Computing : std::uint8_t {
    kWritten,   // duration of the trace, else the roofline
    kReplay,    // duration of the trace, else `untimed_ps`
    kRoofline,  // the roofline, whatever the duration; on a CPU as kReplay
  };

  std::string algorithm{};  // of all collectives; empty: as the traces say, or auto
  std::map<Collective, std::string> algorithms{};  // in place of `algorithm`
  // Prefixes of traces whose sends, receives and computations, a file per place in the group, take
  // the place of a collective.
  std::map<Collective, std::string> schedules{};
  Computing computing = Computing::kWritten;
  bool replays_all = false;  // communication, loads and stores, too, without a network
  // Sends, receives and collectives take the duration of the trace, each rank by itself, without a
  // network.
  bool replays_communication = false;
  std::uint64_t untimed_ps = 0;
  TraceMemory memory{};

  // `otherwise`: algorithm where no rule has one.
  const std::string& algorithm_of(Collective collective, const std::string& otherwise) const {
    const auto own = algorithms.find(collective);
    if (own != algorithms.end()) return own->second;
    return algorithm.empty() ? otherwise : algorithm;
  }
};

}  // namespace fredsim
