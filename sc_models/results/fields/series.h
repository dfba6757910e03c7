// SPDX-License-Identifier: Apache-2.0
// Fields of series of links by window, and of the file of --series-file.
#pragma once

#include "results/fields/field.h"

namespace fredsim::fields {

inline constexpr auto kLinkSeriesFields = std::to_array<Field>({
    {"name", kText, kNone, "of the link"},
    {"from", kText, kNone, "node that sends"},
    {"to", kText, kNone, "node that receives"},
    {"flits", list(kCount), kFlits, "by window; together those of the link"},
    {"bytes", list(kCount), kBytes, "likewise"},
    {"busy_cycles", list(kCount), kCycles, "likewise"},
    {"utilization", list(kNumber), kNone,
     "by window: flits sent / flits that the link's rate allows"},
});
inline constexpr Object kLinkSeries{"link_series", "a link, window by window", kLinkSeriesFields};

inline constexpr auto kStallSeriesFields = std::to_array<Field>({
    {"credit", list(kCount), kCycles, "without credit"},
    {"arbiter", list(kCount), kCycles, "lost to another input"},
    {"link", list(kCount), kCycles, "with the link busy"},
    {"join", list(kCount), kCycles, "without the other operands of the sum",
     "of switches with phases"},
    {"phase", list(kCount), kCycles, "with another phase in use", "of switches with phases"},
});
inline constexpr Object kStallSeries{
    "stall_series", "cycles in which a head-of-line flit could not leave, by reason and window",
    kStallSeriesFields};

inline constexpr auto kSwitchSeriesFields = std::to_array<Field>({
    {"name", kText, kNone, "of the switch"},
    {"stall_cycles", object(kStallSeries), kCycles, "in which flits could not leave, by reason"},
});
inline constexpr Object kSwitchSeries{"switch_series", "a switch, window by window",
                                      kSwitchSeriesFields};

inline constexpr auto kSeriesFields = std::to_array<Field>({
    {"window_cycles", kPositive, kCycles, "of a window, `--series`; the last one may be shorter"},
    {"begin_cycle", kCount, kCycles, "first cycle of the first window"},
    {"cycles", kCount, kCycles, "of all windows together"},
    {"links", list(object(kLinkSeries)), kNone, "as in the run"},
    {"switches", list(object(kSwitchSeries)), kNone,
     "as in the run, without switches whose registers cannot be read on the side"},
});
inline constexpr Object kSeries{"series", "counters of links and switches by window",
                                kSeriesFields};

inline constexpr auto kSeriesOfRunFields = std::to_array<Field>(
    {{"series", object(kSeries), kNone, "counters by window of cycles", "with `--series`"}});

inline constexpr auto kSeriesRunFields = std::to_array<Field>({
    {"config", kText, kNone, "machine file, as given"},
    {"settings", {Kind::kTexts}, kNone, "keys set over the machine file, values as typed"},
    {"fabric", kText, kNone, "name of the machine"},
    {"size_bytes", kCount, kBytes, "as in the run", "of collectives"},
    {"rate", kNumber, "flits/cycle", "as in the run", "of synthetic traffic"},
    {"series", object(kSeries), kNone, "counters by window of cycles"},
});
inline constexpr Object kSeriesRun{"series_run", "the series of one run", kSeriesRunFields};

inline constexpr auto kSeriesDocumentFields = std::to_array<Field>({
    {"fredsim", kText, kNone, "version"},
    {"runs", list(object(kSeriesRun)), kNone, "in the order of the results"},
});
inline constexpr Object kSeriesDocument{"series_file", "--series-file", kSeriesDocumentFields};

}  // namespace fredsim::fields
