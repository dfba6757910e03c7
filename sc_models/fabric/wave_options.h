// What of a run is written to a waveform file (fabric/wave_recorder.h).
//
// Units: a window's ends are cycles, or picoseconds, from the first clock edge on; both belong to it.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace fredsim {

struct WaveWindow {
  static constexpr std::uint64_t kOpenEnd = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t from = 0;
  std::uint64_t to = kOpenEnd;
  bool in_picoseconds = false;  // else in cycles
};

struct WaveOptions {
  std::string file{};                 // FST; empty: none
  std::string scope = "*";            // shell-style pattern on instance (node) names
  bool links_only = false;            // switches in scope keep the body they have
  std::vector<WaveWindow> windows{};  // ascending, none in another; empty: the whole run
};

}  // namespace fredsim
