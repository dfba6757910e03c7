// SPDX-License-Identifier: Apache-2.0
// Content of a waveform file (trace/wave_recorder.h).
//
// Units: a window's ends are cycles, or picoseconds, from the first clock edge on; both belong to it.
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

// Trigger condition on the links and in the switches in scope; its first time counts.
enum class WaveTriggerKind : std::uint8_t {
  kStall,        // in more than `argument` cycles in a row some flit at a switch could not leave
  kPhaseChange,  // a switch changes its phase
  kPreemption,   // on a link, a flit leaves while a packet of lower priority is under way
  kPacket,       // a flit with the tag `argument` leaves
  kStream,       // a flit of the stream `argument` leaves
  kPayload,      // the run fails because an NPU has got another value than is right
  kLockstep,     // … because RTL and twin differ
  kDeadlock,     // … because nothing moves any more: the last cycle in which a flit has left
  kFailure,      // … for whatever reason
};

struct WaveTrigger {
  WaveTriggerKind kind = WaveTriggerKind::kFailure;
  std::uint64_t argument = 0;
  std::uint64_t before = 100, after = 100;  // cycles around it in the file
};

struct WaveOptions {
  std::string file{};                    // FST; empty: none
  std::string scope = "*";               // shell-style pattern on instance (node) names
  bool links_only = false;               // switches in scope keep the implementation they have
  std::optional<WaveTrigger> trigger{};  // none with windows
  std::vector<WaveWindow> windows{};     // ascending, none in another; empty: the whole run
};

}  // namespace fredsim
