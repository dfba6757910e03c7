// SPDX-License-Identifier: Apache-2.0
// Text of the command line, which results record as their origin.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace fredsim {

// "fredsim run configs/mesh.yaml --set 'a=b c'": program and its words, quoted if a shell needs
// quotes. The program's path is omitted, so results do not depend on it.
std::string command_line(std::string_view program, std::span<const char* const> words);

}  // namespace fredsim
