// SPDX-License-Identifier: Apache-2.0
// All commands and their options as a page in Markdown (docs/reference/options.md), from their
// help.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace fredsim {

std::string options_page(const CLI::App& app);

}  // namespace fredsim
