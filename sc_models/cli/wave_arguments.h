// SPDX-License-Identifier: Apache-2.0
// The options of waveform files: --wave, --wave-scope, --wave-links-only, --wave-window,
// --wave-trigger, --wave-before, --wave-after.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "runner/wave_files.h"
#include "trace/wave_options.h"

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

}  // namespace fredsim
