// SPDX-License-Identifier: Apache-2.0
#include "runner/wave_files.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <vector>

#include "runner/program_name.h"

namespace fredsim {

void add_wave_files(const WaveOptions& wave, FileUses& files) {
  if (wave.file.empty()) return;
  const std::vector<FileUse> uses = wave_uses(wave.file);
  files.outputs.insert(files.outputs.end(), uses.begin(), uses.end());
}

std::string wave_file_of(const std::string& file, const std::string& machine) {
  std::filesystem::path path(file);
  const bool is_known = path.extension() == ".fst" || path.extension() == ".vcd";
  const std::filesystem::path extension = is_known ? path.extension() : "";
  if (!extension.empty()) path.replace_extension();
  path += "." + machine;
  path += extension;
  return path.string();
}

void note_wave(const WaveRecorder& wave, bool quiet) {
  if (const std::string why = wave.why_empty(); !why.empty()) {
    fmt::print(stderr, "{}: {} holds no cycle: {}\n", program_name(), wave.path(), why);
  } else if (wave.found() && !quiet) {
    fmt::print(stderr, "{}: {}: {} at cycle {}, {:.3f} ns in the file\n", program_name(),
               wave.path(), kWaveTrigger, wave.found_in_run(), wave.found_ns());
  }
}

}  // namespace fredsim
