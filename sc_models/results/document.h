// SPDX-License-Identifier: Apache-2.0
// Head of every file of results: its origin, and the version of its schema,
// results/results.schema.json.
#pragma once

#include <string>
#include <string_view>

#include "results/fields/document.h"
#include "results/json_object.h"
#include "results/origin.h"

namespace fredsim {

// Version of the schema: incremented where a reader of earlier files would fail. An additional key
// does not count.
inline constexpr int kResultsSchema = 1;

JsonObject<fields::kDocument> document_of(const Origin& origin);

// Text of a document, with a newline at its end. Text that is not UTF-8 (a path may be anything)
// has U+FFFD in it.
std::string text_of(const nlohmann::ordered_json& document);

}  // namespace fredsim
