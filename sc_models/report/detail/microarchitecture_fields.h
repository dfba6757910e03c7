// SPDX-License-Identifier: Apache-2.0
// Fields of the file that scripts/microarchitectures.sh writes and the page shows; no command
// writes them.
#pragma once

#include "results/fields/field.h"

namespace fredsim::fields {

inline constexpr auto kKindWorkFields = std::to_array<Field>({
    {"work", kText, kNone, "in words"},
    {"algorithm", kText, kNone, "of the collective"},
    {"time_ns", kNumber, kNs, "at the clock of all kinds"},
    {"own_clock_time_ns", or_null(kNumber), kNs, "at the kind's own clock"},
    {"energy_pj_per_byte", or_null(kNumber), "pJ/byte", "of the switches"},
});
inline constexpr Object kKindWork{"kind_work", "a work on a kind of switch", kKindWorkFields};

inline constexpr auto kSwitchKindFields = std::to_array<Field>({
    {"name", kText, kNone, "of the machine"},
    {"kind", kText, kNone, "of its switches"},
    {"config", kText, kNone, "machine file"},
    {"logic_kge", or_null(kNumber), "kGE", "of the logic"},
    {"area_mm2", or_null(kNumber), "mm²", "of the switch"},
    {"path_fo4", or_null(kNumber), "FO4", "longest path"},
    {"clock_ghz", or_null(kNumber), kGhz, "that the longest path allows"},
    {"saturation", or_null(kNumber), "flits/cycle", "under synthetic traffic"},
    {"conflict_rate", or_null(kNumber), kNone, "of random sets of flows"},
    {"conflicts", kText, kNone, "how they come about",
     "where they are a matter of how the kind is made, not of a rate"},
    {"works", list(object(kKindWork)), kNone, "that were run on it"},
});
inline constexpr Object kSwitchKind{"switch_kind", "a kind of switch", kSwitchKindFields};

inline constexpr auto kKindDocumentFields = std::to_array<Field>(
    {{"microarchitectures", list(object(kSwitchKind)), kNone, "kinds of switches"}});
inline constexpr Object kKindDocument{"microarchitectures", "a comparison of kinds of switches",
                                      kKindDocumentFields};

}  // namespace fredsim::fields
