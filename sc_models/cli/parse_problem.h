// SPDX-License-Identifier: Apache-2.0
// Explanation of a command line that CLI11 refuses, in our words instead of its own.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace fredsim {

// "run: found no CONFIG; allowed: one (fredsim run --help)", without "run: " and "run" where there are no
// commands. After a parse that failed.
std::string parse_problem(const CLI::App& app);

}  // namespace fredsim
