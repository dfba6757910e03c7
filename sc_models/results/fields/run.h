// SPDX-License-Identifier: Apache-2.0
// Fields of `fredsim run` and `compare`, and of testbenches with NPUs of their own.
#pragma once

#include "results/fields/breakdown.h"
#include "results/fields/document.h"
#include "results/fields/fabric.h"
#include "results/fields/series.h"

namespace fredsim::fields {

inline constexpr auto kPartFields = std::to_array<Field>({
    {"collective",
     word("all_reduce reduce_scatter all_gather reduce broadcast gather scatter all_to_all "
          "multicast unicast all_to_all_v"),
     kNone, "what its group does"},
    {"algorithm", kText, kNone, "as `--algorithm` names it"},
    {"group",
     {Kind::kMembers},
     kNone,
     "its ranks in order: NPUs by number, I/O controllers by name"},
    {"priority", word("mp pp dp"), kNone, "its virtual channel"},
    {"size_bytes", kCount, kBytes, "size"},
    {"start_cycle", kCount, kCycles, "from which on it could send"},
    {"cycles", kCount, kCycles, "from there until its last result was complete, or so far"},
    {"time_ns", kNumber, kNs, "the same in time"},
    {"algbw_gbps", or_null(kNumber, Null::kInterrupted), kGbps, "size / time"},
    {"busbw_gbps", or_null(kNumber, Null::kInterrupted), kGbps, "NCCL's bus bandwidth"},
    {"bound_ns", kNumber, kNs, "lower bound of its time from the busiest link; derived"},
    {"name", kText, kNone, "of the entry", "of an entry of a work file that has one"},
    {"operations",
     {Kind::kSeveral},
     kNone,
     "how often the entry is repeated; times and bandwidths are of all of them",
     "of an entry of a work file that is repeated"},
    {"packet_order", word("recurring paced"), kNone,
     "its packets wait for channels in an order known beforehand, or have a pace", "where they do"},
    {"frame_cycles", kCount, kCycles, "of the frame of its packets", "where packets have a pace"},
    {"incomplete", kTrue, kNone, "it was not complete", kWhenInterrupted},
});
inline constexpr Object kPart{"part", "a collective on one group", kPartFields};

inline constexpr auto kPhaseFields = std::to_array<Field>({
    {"preloaded", kCount, kNone, "written before the run"},
    {"loaded", kCount, kNone, "written while it went on"},
    {"found", kCount, kNone, "there already when an operation needed them"},
    {"evicted", kCount, kNone, "given up for others"},
    {"words_written", kCount, "register writes", "by which they were loaded during the run"},
});
inline constexpr Object kPhases{"phases", "phase rows of the switches", kPhaseFields};

inline constexpr auto kOperationFields = std::to_array<Field>({
    {"complete", kCount, kNone,
     "operations that are complete; collectives that begin together are one"},
    {"phases", object(kPhases), kNone, "their phases"},
    {"waited_for_phases_cycles", kCount, kCycles,
     "summed over operations: from when they could have begun until their phases were there"},
    {"waited_for_others_cycles", kCount, kCycles,
     "summed over operations: from then until those were complete that they cannot run together "
     "with"},
});
inline constexpr Object kOperations{"operations", "what was issued one after the other",
                                    kOperationFields};

inline constexpr auto kSliceFields = std::to_array<Field>({
    {"all", kPositive, kNone, "that took part"},
    {"simulated", kPositive, kNone, "one for all that do the same"},
});
inline constexpr Object kSlices{"slices", "slices of a FRED tree", kSliceFields};

inline constexpr auto kDimensionUseFields = std::to_array<Field>({
    {"name", kText, kNone, "as the machine file has it"},
    {"bandwidth_gbps", kNumber, kGbps, "an NPU's, per direction, all of its links"},
    {"utilization", kNumber, kNone, "sent by NPUs / what they can send in the whole time"},
});
inline constexpr Object kDimensionUse{"dimension_use", "use of a dimension of a system",
                                      kDimensionUseFields};

inline constexpr auto kSystemUseFields = std::to_array<Field>({
    {"dimension_order", word("baseline themis"), kNone,
     "`--dimension-order`; of collectives that have none but the baseline's, this"},
    {"chunk_order", word("pipelined fifo scf"), kNone, "`--chunk-order`"},
    {"dimensions", list(object(kDimensionUse)), kNone, "lowest first"},
    {"utilization", kNumber, kNone, "of all dimensions, weighted by bandwidth"},
});
inline constexpr Object kSystemUse{"system", "a system of dimensions", kSystemUseFields};

inline constexpr auto kSkippedFields = std::to_array<Field>({
    {"idle_cycles", kCount, kCycles, "in which nothing happened"},
    {"repeated_cycles", kCount, kCycles, "of periods that repeat simulated ones"},
    {"repeated_flit_hops", kCount, "flits × links", "in these, on slices that were simulated"},
    {"equal_slices_flit_hops", kCount, "flits × links", "of slices that were not simulated"},
});
inline constexpr Object kSkipped{
    "skipped", "not simulated, though all other keys but sim_cycles_per_s have it in them",
    kSkippedFields};

inline constexpr auto kInjectedFields = std::to_array<Field>({
    {"injected_bytes", kCount, kBytes, "payload that NPUs put on the fabric"},
    {"injected_bytes_per_npu_max", kCount, kBytes, "by the busiest NPU"},
    {"link_bytes", kCount, kBytes, "payload × wafer links crossed"},
    {"flit_hops", kCount, "flits × links",
     "wafer links crossed; ports between a mesh NPU and its own router do not count"},
    {"acknowledgement_packets", kCount, "packets",
     "of a flit each, by which receivers tell sources that see no results how much has arrived"},
    {"acknowledgement_bytes", kCount, kBytes, "of these, on links; no payload"},
});
inline constexpr Object kInjected{"injected", "what was put on the fabric", kInjectedFields};

inline constexpr auto kCreditLimitFields = std::to_array<Field>({
    {"link", kText, kNone, "the busiest link"},
    {"link_gbps", kNumber, kGbps, "its bandwidth"},
    {"carried_gbps", kNumber, kGbps, "what the credits of the buffer behind it allow"},
    {"buffer_bytes", kCount, kBytes, "the buffer, per virtual channel"},
    {"covering_bytes", kCount, kBytes, "one that carries the link's bandwidth"},
    {"key", kText, kNone, "key of the machine file that has the buffer"},
});
inline constexpr Object kCreditLimit{"credit_limit", "a link that its buffer limits",
                                     kCreditLimitFields};

inline constexpr auto kDerivedFields = std::to_array<Field>({
    {"bound_ns", or_null(kNumber, Null::kOwn), kNs, "lower bound from the busiest link"},
    {"network_bound_ns", kNumber, kNs,
     "lower bound of any algorithm on this network: least cuts around NPUs, straight ones of "
     "grids, and the bisection",
     "where it is known"},
    {"time_over_network_bound", or_null(kNumber, Null::kInterrupted), kNone,
     "simulated time / network bound", "where it is known"},
    {"credit_limit", object(kCreditLimit), kNone, "of the busiest link",
     "where its buffer carries less than its bandwidth"},
    {"time_over_bound", or_null(kNumber), kNone,
     "simulated time / bound; null where there is no bound, or the run was interrupted"},
});
inline constexpr Object kDerived{"derived", "computed, not simulated", kDerivedFields};

inline constexpr auto kSimulatedFields = std::to_array<Field>({
    {"operations", object(kOperations), kNone, "what was issued one by one",
     "of training, of a work file with `after`, `delay` or `repeat`, and where `--on-conflict "
     "later` makes a collective wait"},
    {"slices", object(kSlices), kNone, "slices of a FRED tree", "of collectives in its switches"},
    {"system", object(kSystemUse), kNone, "use of its dimensions", "of systems of dimensions"},
    {"skipped", object(kSkipped), kNone, "what was not simulated"},
    {"traffic", object(kInjected), kNone, "what was put on the fabric"},
    {"energy", object(kEnergy), kNone, "derived: counters × energy of each event",
     "where the machine file is known"},
});

inline constexpr auto kFlowErrorFields = std::to_array<Field>({
    {"measured_on", kText, kNone, "machine on which exact runs were made"},
    {"sizes", list(kCount), kBytes, "of these"},
    {"mean_percent", kNumber, "%", "mean difference of the times, either way, and what is added"},
    {"worst_percent", kNumber, "%", "the largest, and what is added"},
});
inline constexpr Object kFlowError{"flow_error", "flows against exact runs", kFlowErrorFields};

inline constexpr auto kEngineFields = std::to_array<Field>({
    {"engine", word("flow"), kNone, "flows in place of flits", "with `--engine flow`"},
    {"error", or_null(object(kFlowError)), kNone,
     "what is stated of the error of its times; null: unmeasured; 0: they are those of an exact "
     "run. "
     "Else what was measured at other sizes, or of its operations, each alone (mean by the time "
     "that "
     "they were under way, and the largest), and so much more that 95 % of random works are within",
     "with `--engine flow`"},
});

inline constexpr auto kArrivalFields = std::to_array<Field>({
    {"collective_overhead_ns", kNumber, kNs,
     "`npu.collective_overhead`, by which NPUs begin each collective later", "where it is not 0"},
    {"skew", kText, kNone, "`--skew`, by which each NPU comes later to each collective", "with it"},
});

inline constexpr auto kRunFields = join(
    kRunHeadFields,
    std::to_array<Field>({
        {"collective", kText, kNone, "joined by + where parts differ"},
        {"algorithm", kText, kNone, "joined by + where parts differ"},
        {"groups", list({Kind::kMembers}), kNone, "groups that ran at the same time"},
        {"placement", or_null(kText), kNone,
         "of workers: paper, snake, identity, searched (`--placement auto`), or a file; null: not "
         "asked for"},
        {"strategy", or_null(kText), kNone, "`--strategy`; null: not asked for"},
        {"dimensions", or_null(list(word("mp dp pp"))), kNone,
         "`--dimension`; null: not asked for"},
        {"size_bytes", or_null(kCount, Null::kOwn), kBytes, "the largest of all parts"},
        {"seed", or_null(kCount, Null::kOwn), kNone, "of payloads and random choices"},
        {"cycles", kCount, kCycles, "from the first clock edge to the last complete result"},
        {"time_ns", kNumber, kNs, "the same in time"},
        {"algbw_gbps", or_null(kNumber, Null::kOwnOrInterrupted), kGbps,
         "size / time, of the part that ends last over the whole time"},
        {"busbw_gbps", or_null(kNumber, Null::kOwnOrInterrupted), kGbps,
         "NCCL's bus bandwidth, of the part that ends last over the whole time"},
        {"payload", or_null({Kind::kPayload}, Null::kOwn), kNone,
         "exact: every lane carried was equal to the prescribed sum, bit for bit; incomplete: "
         "interrupted; not carried: of flows"},
    }),
    kEngineFields, kArrivalFields,
    std::to_array<Field>({
        {"placement_npus", list(kCount), kNone, "NPU of every worker", "with a placement"},
    }),
    kInterruptedFields,
    std::to_array<Field>({
        {"parts", list(object(kPart)), kNone, "one per group"},
        {"idealised", list(kText), kNone, "what would be otherwise on a machine",
         "where something is"},
    }),
    kSimulatedFields, kBestBaseFields,
    std::to_array<Field>({
        {"speedup", kNumber, kNone, "time of the base / time of this run, same size",
         "of `compare`, after the first machine"},
        {"injected_traffic_reduction", kNumber, kNone,
         "injected bytes of the base / of this run: 1.9 = the base moves 1.9 times as many",
         "of `compare`, after the first machine"},
        {"link_traffic_reduction", kNumber, kNone, "link bytes of the base / of this run",
         "of `compare`, after the first machine"},
        {"derived", object(kDerived), kNone, "computed, not simulated"},
    }),
    kFabricCountFields, kSeriesOfRunFields, kBreakdownOfRunFields, kRunTailFields);
inline constexpr Object kRun{
    "collective_run", "one machine and size: all sizes of the first machine, then of the next",
    kRunFields};

inline constexpr auto kRunDocumentFields =
    join(kDocumentFields,
         std::to_array<Field>({{"runs", list(object(kRun)), kNone, "one per machine and size"}}));
inline constexpr Object kRunDocument{"run", "run and compare", kRunDocumentFields};

}  // namespace fredsim::fields
