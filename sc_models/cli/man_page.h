// SPDX-License-Identifier: Apache-2.0
// Manual pages, in man(7)'s language, from the help of the program and of its commands.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace fredsim {

// Page of a command, fredsim-run(1), or of the program itself.
std::string man_page(const CLI::App& app, const std::string& version);

}  // namespace fredsim
