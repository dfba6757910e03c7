// SPDX-License-Identifier: Apache-2.0
// A machine as it is named on the command line: a file, or the name of one that is installed
// (config/machine_path.h), and settings of its own behind an '@'.
//
//   fred_d
//   configs/fred_d.yaml
//   configs/fred_d.yaml@switch.input_buffer=48KiB,fabric.middle=2
// A file that exists under the whole word is that file. Else the file ends before the last '@'
//   before
// which one exists, or, where none does, before the first '@' that a key and '=' follow. Commas
// separate settings but inside of brackets, braces and quotes: fabric.levels=[{below: 4}].
// Errors: those of machine_path(), and BadInput naming the word where nothing, or an empty setting,
//   follows the '@'.
#pragma once

#include <string>

#include "config/config.h"

namespace fredsim {

MachineFile parse_machine_word(const std::string& word);
// A machine as tables and messages name it: by the name that its file gives, with its own settings.
std::string name_of(const MachineConfig& config);

}  // namespace fredsim
