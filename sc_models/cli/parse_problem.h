// SPDX-License-Identifier: Apache-2.0
// Explains a command line that CLI11 refuses, in the words of fredsim.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

namespace fredsim {

// Message for a failed parse: "run: found no CONFIG; allowed: one (fredsim run --help)", without
// "run: " and "run" if the program has no commands. `several`: command that takes several machines,
// if the parsed one takes one; empty: none.
std::string parse_problem(const CLI::App& app, std::string_view several = {});

}  // namespace fredsim
