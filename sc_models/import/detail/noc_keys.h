// SPDX-License-Identifier: Apache-2.0
// Keys of machines from files of on-chip networks, whose unit is the flit.
//
// A flit of the file is a flit here: cycles, hops and flits per cycle compare, bytes do not. A link
//   carries one flit per cycle.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "import/import_format.h"

namespace fredsim {

inline constexpr int kMaxImportSide = 64;  // routers in a row or column of a grid
inline constexpr int kMaxImportFlits = 1 << 20, kMaxImportCycles = 1 << 24;

// A clock, "1 GHz", and what a link of a flit per cycle carries at it.
struct NocClock {
  std::uint64_t hertz = 1'000'000'000;
  std::string text() const;
  std::uint64_t link_bandwidth() const;  // bytes/s
  std::uint64_t latency_ps(std::uint64_t cycles) const;
};

struct NocBuffers {
  int buffer_flits = 0;  // of a port, over all virtual channels
  int packet_flits = 1;  // longest packet
  std::string key;       // keys of the file, for notes
};

// Mesh or torus of routers with an NPU each.
struct NocGrid {
  int width = 0, height = 0;
  bool is_torus = false;
  std::uint64_t link_cycles = 1;
};
void add_grid(const NocGrid& grid, const NocClock& clock, ImportedMachine& machine);
// Packet size and input buffers, which hold a packet at least, as the switches need it.
void add_buffers(const NocBuffers& buffers, ImportedMachine& machine);

// A run of `fredsim traffic`. `pattern`: empty if there is none like the one of the file.
struct NocTraffic {
  std::string pattern;
  std::string pattern_key, pattern_there;  // key of the file, and its value
  std::string more{};                      // further options
  double flits_per_cycle = 0;
  int packet_flits = 1;
  std::uint64_t warmup = 0, cycles = 0;
};
void add_traffic(const NocTraffic& traffic, const ImportOptions& options, ImportedMachine& machine);

}  // namespace fredsim
