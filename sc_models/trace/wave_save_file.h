// SPDX-License-Identifier: Apache-2.0
// A save file for GTKWave: opens a waveform file with its links, and the registers of its RTL,
// grouped by instance, port, flow and VC, names in place of numbers.
//
// Files: FILE.gtkw beside FILE.fst, with FILE.vc.filter and others, the names of VCs, of the phase
//   of unicasts and of directions. Paths in it are absolute, as GTKWave needs them.
// Errors: BadInput when one cannot be written; RunFailed when the disk is full.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "switch/wave_file.h"
#include "topology/topology.h"

namespace fredsim {

// Files that are written beside FILE.fst.
std::vector<std::string> files_beside_wave(const std::string& fst);

struct WaveLink {
  int link = 0;
  std::string scope;  // name in the file, under "links"
};
// "npu3.0->l1_0.s0.3" as the name of a scope: "npu3_0__l1_0_s0_3".
std::string wave_scope_of(const Link& link);

struct WaveView {
  std::optional<std::uint64_t> trigger_ps{};  // marked if there is one
  std::uint64_t start_ps = 0;                 // left edge
  std::uint64_t period_ps = 1;                // clock period
};

// Writes groups for `nodes`, whose links are all in the file. `rtl`: the names of all signals in
// it.
void write_save_file(const std::string& fst, const Topology& topology,
                     std::span<const NodeId> nodes, std::span<const WaveName> rtl,
                     const WaveView& view);

}  // namespace fredsim
