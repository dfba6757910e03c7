// SPDX-License-Identifier: Apache-2.0
// Spelling of the command line, looked at before CLI11 parses it: unknown commands and options get
// the nearest right one, an option without its value is told from a value that is an option or empty, and a flag
// has none.
#pragma once

#include <CLI/CLI.hpp>
#include <span>

namespace fredsim {

// `arguments` without the program's name. Errors: BadInput.
void check_spelling(const CLI::App& app, std::span<const char* const> arguments);

}  // namespace fredsim
