// SPDX-License-Identifier: Apache-2.0
// Schemas and reference pages of kinds of files, made from the rows of their keys
// (base/file_key.h).
//
// Rules that a schema cannot express (matching sizes, references to names) are checked when a file
// is read.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/file_key.h"

namespace fredsim {

// A number and its unit.
inline constexpr const char* kNumberAndUnit = "^ *[0-9.]+(e[+-]?[0-9]+)? *[A-Za-z/]+ *$";

// Schema for editors: draft-07. Keys with a default may be left out.
nlohmann::ordered_json file_schema(const FileKeys& file);

// The keys as a page in Markdown.
std::string file_reference(const FileKeys& file);

// "number and unit"
std::string_view shown_holds(Holds holds);

}  // namespace fredsim
