// SPDX-License-Identifier: Apache-2.0
// The reference page of the results JSON, in Markdown, made from its tables (results/fields/all.h).
#pragma once

#include <string>
#include <string_view>

namespace fredsim {

std::string results_reference();

// Text in a cell of a table.
std::string markdown_cell(std::string_view text);

}  // namespace fredsim
