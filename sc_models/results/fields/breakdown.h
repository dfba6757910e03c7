// SPDX-License-Identifier: Apache-2.0
// Fields of `--breakdown`: the cycles of packets by cause (results/breakdown.h).
#pragma once

#include "results/fields/field.h"

namespace fredsim::fields {

inline constexpr std::string_view kCauseWords =
    "source queue phase credit link arbiter pipeline serialisation latency flits gaps receive";
inline constexpr Type kCausesType{Kind::kCauses, kCauseWords};

inline constexpr auto kCycleFigureFields = std::to_array<Field>({
    {"mean", kNumber, kCycles, "mean over all packets"},
    {"p50", kCount, kCycles, "median"},
    {"p99", kCount, kCycles, "99th percentile"},
    {"max", kCount, kCycles, "longest"},
});
inline constexpr Object kCycleFigures{"cycle_figures", "cycles of packets", kCycleFigureFields};

inline constexpr auto kBreakdownCauseFields =
    join(std::to_array<Field>({{"cause", word(kCauseWords), kNone, "why a packet was there"}}),
         kCycleFigureFields,
         std::to_array<Field>({
             {"share", kNumber, kNone, "of the sum of all latencies"},
             {"total_cycles", kCount, kCycles, "of all packets"},
         }));
inline constexpr Object kBreakdownCause{"breakdown_cause", "cycles of a stage by cause",
                                        kBreakdownCauseFields};

inline constexpr auto kJoinFields =
    join(std::to_array<Field>({{"operands", kPositive, kNone, "that joined"}}), kCycleFigureFields);
inline constexpr Object kJoin{"join", "how long operands waited for the last one", kJoinFields};

inline constexpr auto kStageFields = std::to_array<Field>({
    {"stage", kText, kNone, "switches, links or NICs that are alike: `L1 up`"},
    {"visits", kNumber, kNone, "per packet"},
    {"causes", list(object(kBreakdownCause)), kNone, "those with cycles"},
    {"join", object(kJoin), kNone, "operands that wait for the last one", "of switches that add"},
});
inline constexpr Object kStage{"breakdown_stage", "a stage of the packets' path", kStageFields};

inline constexpr auto kHopFields = std::to_array<Field>({
    {"place", kText, kNone, "a NIC or switch with the link behind it, or the NIC at the end"},
    {"stage", kText, kNone, "that it belongs to"},
    {"begin_cycle", kCount, kCycles, "cycle of the run in which the packet came there"},
    {"causes", kCausesType, kCycles, "by cause"},
});
inline constexpr Object kHop{"breakdown_hop", "a hop of a packet", kHopFields};

inline constexpr auto kPacketFields = std::to_array<Field>({
    {"packet", kText, kNone, "its name: `tree 3 #17`"},
    {"source", kText, kNone, "node that sent it"},
    {"destination", kText, kNone, "node that received it"},
    {"begin_cycle", kCount, kCycles, "cycle of the run in which it was handed to its NIC"},
    {"latency_cycles", kCount, kCycles,
     "until its last flit was taken by the NIC at the other end"},
    {"hops", list(object(kHop)), kNone, "in order"},
});
inline constexpr Object kPacket{"breakdown_packet", "one packet, hop by hop", kPacketFields};

inline constexpr auto kPathStageFields = std::to_array<Field>({
    {"stage", kText, kNone, "of the path"},
    {"causes", kCausesType, kCycles, "by cause"},
});
inline constexpr Object kPathStage{"breakdown_path_stage", "a stage of a collective's path",
                                   kPathStageFields};

inline constexpr auto kPathFields = std::to_array<Field>({
    {"cycles", kCount, kCycles, "of the collective"},
    {"packets", kPositive, kNone, "one after the other"},
    {"stages", list(object(kPathStage)), kNone, "in order"},
});
inline constexpr Object kPath{
    "breakdown_path",
    "from the start of a collective to its end, by the packets that its last "
    "result waited for",
    kPathFields};

inline constexpr auto kBreakdownFields = std::to_array<Field>({
    {"work", kText, kNone, "collective and algorithm", "of collectives"},
    {"packets", kCount, kNone, "delivered"},
    {"latency_cycles", object(kCycleFigures), kCycles, "of packets"},
    {"stages", list(object(kStage)), kNone, "in the order of the path"},
    {"critical_packet", object(kPacket), kNone, "the packet that was delivered last",
     "where a packet was delivered"},
    {"path", object(kPath), kNone, "by the packets that the last result waited for",
     "of collectives"},
    {"listed", list(object(kPacket)), kNone, "packets of `--trace-packets`"},
});
inline constexpr Object kBreakdown{"breakdown", "where the cycles of packets went",
                                   kBreakdownFields};

inline constexpr auto kBreakdownOfRunFields = std::to_array<Field>(
    {{"breakdown", list(object(kBreakdown)), kNone,
      "where the cycles of packets went: one per part, or of synthetic traffic one",
      "with `--breakdown`"}});

}  // namespace fredsim::fields
