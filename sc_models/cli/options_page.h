// SPDX-License-Identifier: Apache-2.0
// Markdown page of all commands and their options (docs/reference/options.md), generated from their
// help.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace fredsim {

std::string options_page(const CLI::App& app);

}  // namespace fredsim
