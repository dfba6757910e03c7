// SPDX-License-Identifier: Apache-2.0
// Completion of the command line by shells, from the commands, their options and the words that
// these offer (add_option.h): machines by name, files, and the values of options that have a list
// of them.
// Errors: BadInput for a shell other than bash, zsh and fish.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace fredsim {

// Script for the shell; commands and options that are hidden are not in it.
std::string completion_script(CLI::App& app, const std::string& shell);

}  // namespace fredsim
