// SPDX-License-Identifier: Apache-2.0
// Reference page of the results JSON, in Markdown, generated from its tables.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "results/fields/field.h"

namespace fredsim {

// `documents`: a table per kind of file (report/fields/all.h).
std::string results_reference(std::span<const fields::Object* const> documents);

// Escapes text for a cell of a table.
std::string markdown_cell(std::string_view text);

}  // namespace fredsim
