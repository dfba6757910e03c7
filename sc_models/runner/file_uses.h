// SPDX-License-Identifier: Apache-2.0
// Files that a command reads and writes: checks that no output overwrites an input or another
// output.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace fredsim {

struct FileUse {
  std::string option;    // "CONFIG", "--json"
  std::string given;     // as typed; "-": standard output
  std::string beside{};  // companion file of the given one; empty: the given file itself
};

struct FileUses {
  std::vector<FileUse> inputs, outputs;
};

// Waveform file of --wave and its companion files.
std::vector<FileUse> wave_uses(const std::string& file);

// Throws BadInput naming both options and files if an output is an input or another output.
// Standard output counts as an output if it is redirected to a file.
void check_outputs(std::span<const FileUse> inputs, std::span<const FileUse> outputs);

}  // namespace fredsim
