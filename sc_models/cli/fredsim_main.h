// SPDX-License-Identifier: Apache-2.0
// Main function of fredsim, the command line: parses, runs a command, turns errors into exit codes.
//
// Use: a program that extends fredsim adds its kinds of switches (switch/switch_kind.h) and then
//   calls fredsim_main() once from its main(). Link fredsim_cli. `program`: name of the program.
#pragma once

#include "runner/program_name.h"

namespace fredsim {

int fredsim_main(int argc, char** argv, const char* program = kFredsim);  // the exit code

}  // namespace fredsim
