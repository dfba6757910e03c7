// SPDX-License-Identifier: Apache-2.0
// The files that a command reads and writes: no output goes over an input or over another output.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace fredsim {

struct FileUse {
  std::string option;    // "CONFIG", "--json"
  std::string given;     // as typed; "-": standard output
  std::string beside{};  // another file that goes with it; empty: the given one itself
};

struct FileUses {
  std::vector<FileUse> inputs, outputs;
};

// The waveform file of --wave and those beside it.
std::vector<FileUse> wave_uses(const std::string& file);

// BadInput naming both options and files where an output is an input or another output. Standard
// output counts as one where it goes to a file.
void check_outputs(std::span<const FileUse> inputs, std::span<const FileUse> outputs);

}  // namespace fredsim
