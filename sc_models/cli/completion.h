// SPDX-License-Identifier: Apache-2.0
// Shell completion of the command line, generated from the commands, their options and offered
// words (add_option.h): names of machines, files, and values of options that have a list of them.
//
// Errors: BadInput for a shell other than bash, zsh and fish.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace fredsim {

// Script for the shell, without hidden commands and options.
std::string completion_script(CLI::App& app, const std::string& shell);

}  // namespace fredsim
