// SPDX-License-Identifier: Apache-2.0
// Fields of `fredsim sweep`: its table, and the file of a point that failed; the file of any other
// point is that of its command.
#pragma once

#include "results/fields/document.h"

namespace fredsim::fields {

inline constexpr auto kSweepPointFields = std::to_array<Field>({
    {"point", pattern("^[0-9a-f]{32}$"), kNone,
     "hash of the machine with all its keys, the work, the seed and the version of fredsim; names "
     "the file of its results"},
    {"command", kText, kNone, "that it is"},
    {"machine", kText, kNone, "machine file, as in the study"},
    {"settings", {Kind::kTexts}, kNone, "keys set over the machine file"},
    {"options", {Kind::kTexts}, kNone, "options of the command"},
    {"seed", or_null(kCount), kNone, "`--seed`; null: the study has none"},
    {"status", word("done failed"), kNone, "done: its payload was verified"},
    {"message", or_null(kText), kNone, "why it failed; null: it did not"},
    {"results",
     {Kind::kScalars},
     kNone,
     "numbers, flags and texts of its run, by key; those of an object in it with its key and a dot "
     "in front. Not among them: how the simulation went, links, switches, lists"},
});
inline constexpr Object kSweepPoint{"sweep_point", "a point of a study", kSweepPointFields};

inline constexpr auto kSweepDocumentFields =
    join(kDocumentFields, std::to_array<Field>({
                              {"study", kText, kNone, "name of the study"},
                              {"missing", kCount, "points", "of the study that have not been run"},
                              {"points", list(object(kSweepPoint)), kNone, "in its order"},
                          }));
inline constexpr Object kSweepDocument{"sweep", "sweep", kSweepDocumentFields};

inline constexpr auto kPointFailureFields = std::to_array<Field>({
    {"exit_code", kPositive, kNone, "of its command"},
    {"message", kText, kNone, "printed by it"},
});
inline constexpr Object kPointFailure{"point_failure", "how a point failed", kPointFailureFields};

inline constexpr auto kFailedPointDocumentFields =
    join(kDocumentFields,
         std::to_array<Field>({{"failed", object(kPointFailure), kNone, "how it failed"}}));
inline constexpr Object kFailedPointDocument{"failed_point", "sweep, of a point that failed",
                                             kFailedPointDocumentFields};

}  // namespace fredsim::fields
