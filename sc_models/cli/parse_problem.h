// SPDX-License-Identifier: Apache-2.0
// Explanation of a command line that CLI11 refuses, in our words instead of its own.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

namespace fredsim {

// "run: found no CONFIG; allowed: one (fredsim run --help)", without "run: " and "run" where there
// are no commands. After a parse that failed. `several`: the command for several machines, where
// the one that was parsed takes one; empty: none.
std::string parse_problem(const CLI::App& app, std::string_view several = {});

}  // namespace fredsim
