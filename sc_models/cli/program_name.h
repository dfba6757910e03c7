// SPDX-License-Identifier: Apache-2.0
// Name of this program in messages, help texts and results: fredsim, or the name that its main() gave
// fredsim_main().
#pragma once

#include <string>

namespace fredsim {

// A signal handler may call it.
const char* program_name();

// As a shell finds it again: the path that it was called by where it is a relative one, such as build/fredsim, else its name.
std::string called_as();

}  // namespace fredsim
