// SPDX-License-Identifier: Apache-2.0
// Fields of `fredsim traffic`.
#pragma once

#include "results/fields/breakdown.h"
#include "results/fields/document.h"
#include "results/fields/fabric.h"
#include "results/fields/series.h"
#include "results/pattern_words.h"

namespace fredsim::fields {

inline constexpr auto kLatencyFields = std::to_array<Field>({
    {"mean", or_null(kNumber), kCycles, "mean; null: no packet arrived"},
    {"p50", or_null(kNumber), kCycles, "median; null: no packet arrived"},
    {"p95", or_null(kNumber), kCycles, "95th percentile; null: no packet arrived"},
    {"p99", or_null(kNumber), kCycles, "99th percentile; null: no packet arrived"},
    {"max", or_null(kNumber), kCycles, "longest; null: no packet arrived"},
});
inline constexpr Object kLatency{"latency", "latency of the packets of the window", kLatencyFields};

inline constexpr auto kNetraceFields = std::to_array<Field>({
    {"file", kText, kNone, "trace"},
    {"benchmark", kText, kNone, "its name in the trace"},
    {"region", or_null(kCount), kNone, "region of the trace; null: all of it"},
    {"flit_bytes", kPositive, kBytes, "of the trace in a flit"},
    {"nodes", kPositive, kNone, "of the trace: the first NPUs, by rank"},
    {"trace_cycles", kPositive, kCycles, "from the trace's first packet to its last"},
    {"trace_packets", kPositive, kNone, "local ones included"},
    {"local_packets", kCount, kNone, "of a node to itself, which need no network"},
    {"dependencies", kCount, kNone, "of a packet on another"},
    {"outside", kCount, kNone, "of these, those on packets that the trace or region lacks"},
    {"slowdown", or_null(kNumber, Null::kInterrupted), kNone, "cycles of the run over the trace's"},
});
inline constexpr Object kNetrace{"netrace", "trace of Netrace that is replayed", kNetraceFields};

inline constexpr auto kTrafficRunFields = join(
    kMachineFields,
    std::to_array<Field>({{"model", word(kModels), kNone, "implementation of the switches"}}),
    kClockFields,
    std::to_array<Field>({
        {"pattern", word(kPatternsOfResults), kNone, "who sends to whom"},
        {"hotspot_node", kCount, kNone, "that more packets go to", "with pattern hotspot"},
        {"hotspot_fraction", kNumber, kNone, "share of the packets that go there",
         "with pattern hotspot"},
        {"excluded_nodes", list(kCount), kNone, "that nothing is sent to",
         "with pattern background"},
        {"pattern_file", kText, kNone, "rates from each node to each other one",
         "with pattern matrix"},
        {"netrace", object(kNetrace), kNone, "the trace", "with pattern netrace"},
        {"self_addressed", word("excluded"), kNone, "packets of a node to itself"},
        {"nodes", kPositive, kNone, "that take part"},
        {"sending_nodes", kCount, kNone, "of these, those that the pattern lets send"},
        {"packet_flits", kNumber, kFlits, "of a packet, mean"},
        {"packet_sizes", kText, kNone, "lengths of packets in flits, with their shares",
         "with several lengths"},
        {"burst", kText, kNone, "parameters of sources that are on and off", "with bursts"},
        {"request_reply", kText, kNone, "lengths of requests and replies, and share of writes",
         "in request-reply traffic"},
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
         "of these, from creation until the last flit was taken; in request-reply traffic from the "
         "request's creation until the reply's last flit was taken"},
        {"request_latency_mean", or_null(kNumber), kCycles,
         "of requests, until their last flit was taken", "in request-reply traffic"},
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
