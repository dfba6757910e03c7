// SPDX-License-Identifier: Apache-2.0
// Fields of `fredsim trace info`: statistics of execution traces.
#pragma once

#include "results/fields/document.h"

namespace fredsim::fields {

inline constexpr std::string_view kOfTypeNs = "sum of their durations, as the trace has them";

inline constexpr auto kTraceTallyFields = std::to_array<Field>({
    {"nodes", kPositive, kNone, "of the kind"},
    {"time_ns", kNumber, kNs, kOfTypeNs},
    {"bytes", kCount, kBytes, "of communications their payload, of others what they move"},
});
inline constexpr auto kTraceTypeFields =
    join(std::to_array<Field>({{"type", kText, kNone, "of nodes, as the format names it"}}),
         kTraceTallyFields);
inline constexpr Object kTraceType{"trace_type", "all nodes of a type", kTraceTypeFields};

inline constexpr auto kTraceCommunicationFields =
    join(std::to_array<Field>({
             {"collective", kText, kNone, "as the format names it; or the type of a message"},
             {"group", kText, kNone, "process group; empty: all ranks"},
         }),
         kTraceTallyFields);
inline constexpr Object kTraceCommunication{"trace_communication",
                                            "all communications of a collective and group",
                                            kTraceCommunicationFields};

inline constexpr auto kTraceLaneFields =
    join(std::to_array<Field>({
             {"lane", kText, kNone, "stream of a GPU or thread of a CPU"},
             {"on_cpu", kFlag, kNone, "true: of a CPU"},
             {"stream", or_null(kCount), kNone, "number of the stream or thread; null: not told"},
         }),
         kTraceTallyFields);
inline constexpr Object kTraceLane{"trace_lane", "all nodes of a stream or thread",
                                   kTraceLaneFields};

inline constexpr auto kTraceTimesFields = std::to_array<Field>({
    {"nodes", kCount, kNone, "nodes that count"},
    {"p10", kNumber, kNs, "that a tenth of them does not exceed"},
    {"p50", kNumber, kNs, "median"},
    {"p90", kNumber, kNs, "that nine tenths do not exceed"},
    {"p99", kNumber, kNs, "that 99 % do not exceed"},
    {"max", kNumber, kNs, "largest"},
});
inline constexpr Object kTraceTimes{"trace_times", "distribution of durations", kTraceTimesFields};

inline constexpr auto kTraceSizesFields = std::to_array<Field>({
    {"nodes", kCount, kNone, "nodes that count"},
    {"p10", kCount, kBytes, "that a tenth of them does not exceed"},
    {"p50", kCount, kBytes, "median"},
    {"p90", kCount, kBytes, "that nine tenths do not exceed"},
    {"p99", kCount, kBytes, "that 99 % do not exceed"},
    {"max", kCount, kBytes, "largest"},
});
inline constexpr Object kTraceSizes{"trace_sizes", "distribution of sizes", kTraceSizesFields};

inline constexpr auto kTraceNodeFields = std::to_array<Field>({
    {"name", kText, kNone, "of the operation"},
    {"type", kText, kNone, "as the format names it"},
    {"lane", kText, kNone, "stream of a GPU or thread of a CPU"},
    {"time_ns", kNumber, kNs, "its duration"},
});
inline constexpr Object kTraceNodeOf{"trace_node", "a node", kTraceNodeFields};

inline constexpr auto kTraceFigureFields = std::to_array<Field>({
    {"nodes", kCount, kNone, "of all types"},
    {"dependencies", kCount, kNone, "between nodes, control and data"},
    {"work_ns", kNumber, kNs, "sum of all durations"},
    {"types", list(object(kTraceType)), kNone, "by type"},
    {"communications", list(object(kTraceCommunication)), kNone, "by collective and group"},
    {"lanes", list(object(kTraceLane)), kNone, "by stream and thread"},
    {"durations", object(kTraceTimes), kNone, "of nodes with a duration"},
    {"sizes", object(kTraceSizes), kNone, "of communications"},
    {"longest", list(object(kTraceNodeOf)), kNone, "ten at most, longest first"},
});
inline constexpr Object kTraceFigures{"trace_figures", "all traces together", kTraceFigureFields};

inline constexpr auto kTraceOfRankFields =
    join(std::to_array<Field>({
             {"trace", kText, kNone, "file, as given"},
             {"critical_path_ns", kNumber, kNs, "longest chain of dependencies, by duration"},
             {"parallelism", kNumber, kNone, "work over critical path"},
             {"exposed_ns", or_null(kNumber), kNs,
              "communication while no other operation of the GPU runs, as recorded; null: not "
              "recorded"},
         }),
         kTraceFigureFields);
inline constexpr Object kTraceOfRank{"trace_of_rank", "a rank's trace", kTraceOfRankFields};

inline constexpr auto kTraceDocumentFields =
    join(kDocumentFields, std::to_array<Field>({
                              {"traces", list(object(kTraceOfRank)), kNone, "as they were given"},
                              {"all", object(kTraceFigures), kNone, "over all of them"},
                          }));
inline constexpr Object kTraceDocument{"trace_info", "trace info", kTraceDocumentFields};

}  // namespace fredsim::fields
