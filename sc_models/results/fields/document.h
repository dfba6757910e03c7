// SPDX-License-Identifier: Apache-2.0
// Fields of every file of results: its origin (results/document.h).
#pragma once

#include "results/fields/field.h"

namespace fredsim::fields {

inline constexpr auto kDocumentFields = std::to_array<Field>({
    {"fredsim", kText, kNone, "version"},
    {"commit", pattern("^([0-9a-f]{7,}(-dirty)?|unknown)$"), kNone,
     "that it was built from; -dirty: and changes, unknown: not from a checkout"},
    {"schema",
     {Kind::kSchema},
     kNone,
     "one higher when a reader of these files would go wrong with new ones; a further key does not "
     "count"},
    {"command", {Kind::kCommand}, kNone, "command line that made the file"},
});
inline constexpr Object kDocument{"document", "how every file begins", kDocumentFields};

}  // namespace fredsim::fields
