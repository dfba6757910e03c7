// SPDX-License-Identifier: Apache-2.0
// fredsim, the command line: parses, runs a command, turns errors into exit codes.
//
// Use: the main() of a program that is fredsim with something of its own calls it once, having
//   added its kinds of switches (switch/switch_kind.h). Link fredsim_cli. `program`: what it calls
//   itself.
#pragma once

#include "runner/program_name.h"

namespace fredsim {

int fredsim_main(int argc, char** argv, const char* program = kFredsim);  // the exit code

}  // namespace fredsim
