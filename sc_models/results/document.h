// SPDX-License-Identifier: Apache-2.0
// Head of every file of results: what made it, and the schema that it keeps to,
// results/results.schema.json.
#pragma once

#include <string>
#include <string_view>

#include "results/fields/document.h"
#include "results/json_object.h"
#include "results/origin.h"

namespace fredsim {

// Version of the schema: one higher where a reader of the files before it would go wrong. A key
// more does not count.
inline constexpr int kResultsSchema = 1;

JsonObject<fields::kDocument> document_of(const Origin& origin);

// Ends in a newline. Text that is not UTF-8 (a path may be anything) comes out with U+FFFD in it.
std::string text_of(const nlohmann::ordered_json& document);

}  // namespace fredsim
