// SPDX-License-Identifier: Apache-2.0
// The help texts: kept to the terminal's width, 100 columns at most.
//
// --help     of a command: purpose, the options that matter, with the first sentence of their meanings, two examples.
//            40 lines of 80 columns at most, which a test checks.
// --help-all all options under their headings (add_option.h), exit codes, all examples.
// Examples work as they are typed: with the program as it was called (program_name.h), and files of
// configs/ if they exist.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

namespace fredsim {

inline constexpr const char* kExitCodes =
    "Exit codes: 0 done and payload verified, 1 payload wrong or run failed, 2 bad input, "
    "3 routing conflict, 130 interrupted.";

// Formatter of the program's help; set before its commands are added.
std::shared_ptr<CLI::Formatter> help_formatter();

// Completes the help of a command that has all other options, and possibly a footer.
// `main_options`, `examples`: as in CommandRow.
void finish_help(CLI::App& command, const std::string& main_options, const std::string& examples);

}  // namespace fredsim
