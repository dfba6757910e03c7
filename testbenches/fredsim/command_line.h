// The command line as text, for results to say what made them.
#pragma once

#include <span>
#include <string>

namespace fredsim {

// "fredsim run configs/mesh.yaml --set 'a=b c'": the words after the program's name, those that a shell
// would not take as they are in quotes. The program's own path is left out: results do not depend on it.
std::string command_line(std::span<const char* const> words);

}  // namespace fredsim
