// SPDX-License-Identifier: Apache-2.0
// The options of waveform files: --wave, --wave-scope, --wave-links-only, --wave-window,
// --wave-trigger, --wave-before, --wave-after.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/file_uses.h"
#include "switch/switch_factory.h"
#include "trace/wave_options.h"
#include "trace/wave_recorder.h"

namespace fredsim {

// Values as CLI11 collects them.
struct WaveStrings {
  std::string file, scope;
  bool links_only = false;
  std::vector<std::string> windows;
  std::string trigger, before, after;

  void add_to(CLI::App& command);
  // BadInput where they are wrong whatever the machine.
  WaveOptions checked() const;
};

// Files written if a waveform is requested, by one machine.
void add_wave_files(const WaveOptions& wave, FileUses& files);

// BadInput where what the trigger looks for cannot happen.
void check_trigger(const WaveOptions& wave, SwitchModel model);

// The file of one of several machines: "w.fst" of mesh_2x2 is "w.mesh_2x2.fst".
std::string wave_file_of(const std::string& file, const std::string& machine);

// After the run, on standard error: that the file holds nothing, or where the trigger was.
void note_wave(const WaveRecorder& wave, bool quiet);

}  // namespace fredsim
