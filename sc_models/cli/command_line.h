// SPDX-License-Identifier: Apache-2.0
// The command line as text, for results to say what made them.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace fredsim {

// "fredsim run configs/mesh.yaml --set 'a=b c'": program and words after it, those that a shell
// would not take as they are in quotes. The program's path is left out: results do not depend on
// it.
std::string command_line(std::string_view program, std::span<const char* const> words);

}  // namespace fredsim
