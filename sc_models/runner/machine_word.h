// SPDX-License-Identifier: Apache-2.0
// Machine on the command line: a file, or the name of an installed machine (config/machine_path.h),
// with optional settings after an '@'.
//
//   fred_d
//   configs/fred_d.yaml
//   configs/fred_d.yaml@switch.input_buffer=48KiB,fabric.middle=2
// A word that is the path of an existing file is that file. Else the file ends before the last '@'
// that leaves an existing file, or, if there is none, before the first '@' that a key and '='
// follow. Commas separate settings, except inside brackets, braces and quotes:
// fabric.levels=[{below: 4}].
// Errors: errors of machine_path(); BadInput naming the word if the '@' is followed by nothing or
//   by an empty setting.
#pragma once

#include <string>

#include "config/config.h"

namespace fredsim {

MachineFile parse_machine_word(const std::string& word);
// Name of a machine in tables and messages: the name that its file gives, with the settings.
std::string name_of(const MachineConfig& config);

}  // namespace fredsim
