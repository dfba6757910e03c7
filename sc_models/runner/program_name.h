// SPDX-License-Identifier: Apache-2.0
// Name of this program in messages, help texts and results: fredsim, or the name that its main()
// gave fredsim_main().
#pragma once

#include <string>

namespace fredsim {

inline constexpr const char* kFredsim = "fredsim";

// Returns the name; safe in a signal handler.
const char* program_name();

// Name by which a shell finds the program again: the path of the call if it is relative, such as
// build/fredsim, else the program's name.
std::string called_as();

}  // namespace fredsim
