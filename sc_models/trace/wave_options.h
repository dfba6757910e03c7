// SPDX-License-Identifier: Apache-2.0
// Content of a waveform file (trace/wave_recorder.h).
//
// Units: a window's ends are cycles, or picoseconds, from the first clock edge on; both ends are
// included.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace fredsim {

struct WaveWindow {
  static constexpr std::uint64_t kOpenEnd = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t from = 0;
  std::uint64_t to = kOpenEnd;
  bool in_picoseconds = false;  // else in cycles
};

// Trigger condition on the links and switches in scope; its first occurrence counts.
enum class WaveTriggerKind : std::uint8_t {
  kStall,        // a flit at a switch could not leave for more than `argument` cycles in a row
  kPhaseChange,  // a switch changes its phase
  kPreemption,   // a flit leaves on a link while a packet of lower priority is in flight there
  kPacket,       // a flit with the tag `argument` leaves
  kStream,       // a flit of the stream `argument` leaves
  kPayload,      // the run fails because an NPU has received a wrong value
  kLockstep,     // the run fails because RTL and twin differ
  kDeadlock,     // a deadlock: the last cycle in which a flit has left
  kFailure,      // the run fails for any reason
};

struct WaveTrigger {
  WaveTriggerKind kind = WaveTriggerKind::kFailure;
  std::uint64_t argument = 0;
  std::uint64_t before = 100, after = 100;  // cycles around it in the file
};

struct WaveOptions {
  std::string file{};                    // FST file; empty: none
  std::string scope = "*";               // shell-style pattern on instance (node) names
  bool links_only = false;               // switches in scope keep their implementation
  std::optional<WaveTrigger> trigger{};  // not together with windows
  std::vector<WaveWindow> windows{};     // ascending, not nested; empty: the whole run
};

}  // namespace fredsim
