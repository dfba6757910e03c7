// SPDX-License-Identifier: Apache-2.0
// The help texts: kept to the terminal's width, 100 columns at most, with examples that work as typed at the
// top of a checkout.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

namespace fredsim {

// For the program, before its commands are added, which take it over.
std::shared_ptr<CLI::Formatter> help_formatter();

// To the end of a command's help. `lines`: command lines, indented by two.
void add_examples(CLI::App& command, const std::string& lines);

}  // namespace fredsim
