// SPDX-License-Identifier: Apache-2.0
// Fields of `fredsim traffic`.
#pragma once

#include "results/fields/breakdown.h"
#include "results/fields/document.h"
#include "results/fields/fabric.h"
#include "results/fields/series.h"

namespace fredsim::fields {

inline constexpr auto kLatencyFields = std::to_array<Field>({
    {"mean", or_null(kNumber), kCycles, "mean; null: no packet arrived"},
    {"p50", or_null(kNumber), kCycles, "median; null: no packet arrived"},
    {"p95", or_null(kNumber), kCycles, "95th percentile; null: no packet arrived"},
    {"p99", or_null(kNumber), kCycles, "99th percentile; null: no packet arrived"},
    {"max", or_null(kNumber), kCycles, "longest; null: no packet arrived"},
});
inline constexpr Object kLatency{"latency", "latency of the packets of the window", kLatencyFields};

inline constexpr auto kTrafficRunFields = join(
    kMachineFields,
    std::to_array<Field>({{"model", word(kModels), kNone, "implementation of the switches"}}),
    kClockFields,
    std::to_array<Field>({
        {"pattern", word("uniform transpose bit_complement neighbor hotspot"), kNone,
         "who sends to whom"},
        {"hotspot_node", kCount, kNone, "that more packets go to", "with pattern hotspot"},
        {"hotspot_fraction", kNumber, kNone, "share of the packets that go there",
         "with pattern hotspot"},
        {"self_addressed", word("excluded"), kNone, "packets of a node to itself"},
        {"nodes", kPositive, kNone, "that take part"},
        {"sending_nodes", kCount, kNone, "of these, those that the pattern lets send"},
        {"packet_flits", kPositive, kFlits, "of a packet"},
        {"seed", kCount, kNone, "of random choices"},
        {"warmup_cycles", kCount, kCycles, "before the window"},
        {"window_cycles", kPositive, kCycles, "in which packets are counted"},
        {"injection_limit", kNumber, "flits/cycle", "that a node's link can take"},
        {"rate", kNumber, "flits/cycle", "per sending node, as asked for"},
        {"offered_rate", kNumber, "flits/cycle", "per sending node, created in the window"},
        {"accepted_rate", kNumber, "flits/cycle", "per sending node, delivered in the window"},
        {"saturated", or_null(kFlag, Null::kInterrupted), kNone, "less was accepted than offered"},
        {"packets", kCount, kNone, "created in the window"},
        {"packets_arrived", kCount, kNone, "of these, those that arrived"},
        {"latency_cycles", object(kLatency), kCycles,
         "of these, from creation until the last flit was taken"},
    }),
    kInterruptedFields,
    std::to_array<Field>({
        {"hops", or_null(kNumber, Null::kInterrupted), "links", "wafer links of a packet, mean"},
        {"flit_hops", kCount, "flits × links", "wafer links crossed"},
        {"cycles", kCount, kCycles, "of the whole run"},
        {"energy", object(kEnergy), kNone,
         "of the window, derived: counters × energy of each event; per bit of payload that "
         "arrived",
         "where the machine file is known"},
    }),
    kFabricCountFields, kSeriesOfRunFields, kBreakdownOfRunFields, kRunTailFields);
inline constexpr Object kTrafficRun{"traffic_run", "one offered rate", kTrafficRunFields};

inline constexpr auto kSaturationFields = std::to_array<Field>({
    {"accepted_rate", or_null(kNumber), "flits/cycle", "the highest of all runs"},
    {"first_saturated_rate", or_null(kNumber), "flits/cycle",
     "the lowest rate that saturates; null: none does"},
});
inline constexpr Object kSaturation{"saturation", "what the rates show together",
                                    kSaturationFields};

inline constexpr auto kTrafficDocumentFields = join(
    kDocumentFields, std::to_array<Field>({
                         {"runs", list(object(kTrafficRun)), kNone, "one per offered rate"},
                         {"saturation", object(kSaturation), kNone, "what the rates show together"},
                     }));
inline constexpr Object kTrafficDocument{"traffic", "traffic", kTrafficDocumentFields};

}  // namespace fredsim::fields
