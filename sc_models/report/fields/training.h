// SPDX-License-Identifier: Apache-2.0
// Fields of `fredsim train`; those of its options are in their rows (workload/training_rows.h).
#pragma once

#include "results/fields/run.h"
#include "workload/training_rows.h"

namespace fredsim::fields {

// Options between the other fields, in the order of the JSON.
using TrainingRows = std::span<const OptionRow<TrainingQuestion>>;
inline constexpr TrainingRows kPhaseRows = rows_between(kTrainingRows, "--phase", "--overlap");
inline constexpr TrainingRows kSequenceRows = rows_between(kTrainingRows, "--sp", "--sp");
inline constexpr TrainingRows kSampleRows =
    rows_between(kTrainingRows, "--minibatch", "--iterations");
inline constexpr TrainingRows kMethodRows = rows_between(kTrainingRows, "--algorithm", "--memory");
inline constexpr TrainingRows kExecutionRows =
    rows_between(kTrainingRows, "--execution", "--stream-groups");

inline constexpr auto kInferenceFields = fields_of<kPhaseRows>();
inline constexpr Object kInference{"inference", "an inference pass", kInferenceFields};

inline constexpr auto kFitFields = std::to_array<Field>({
    {"config", kText, kNone, "machine that was fitted"},
    {"speedup", kNumber, kNone, "that it was fitted to"},
    {"runs", kPositive, kNone, "that it took"},
});
inline constexpr Object kFit{"fit", "the search for the compute rate of `--fit`", kFitFields};

// Time by kind of communication.
inline constexpr auto kCommunicationTimeFields = std::to_array<Field>({
    {"input_load", kNumber, kNs, "loading of inputs"},
    {"mp", kNumber, kNs, "of model parallelism"},
    {"pp", kNumber, kNs, "of pipeline parallelism"},
    {"dp", kNumber, kNs, "of data parallelism"},
    {"streaming", kNumber, kNs, "streaming of weights and gradients"},
    {"memory", kNumber, kNs, "accesses to memory",
     "with an optimizer, or of traces with loads and stores"},
    {"ep", kNumber, kNs, "of expert parallelism", "with experts"},
    {"cp", kNumber, kNs, "keys and values of context parallelism, and their gradients",
     "with `--cp` above 1"},
});
inline constexpr auto kComputeTimeFields =
    std::to_array<Field>({{"compute", kNumber, kNs, "computing"}});

inline constexpr auto kTimeBreakdownFields =
    join(kComputeTimeFields,
         std::to_array<Field>({{"bubble", kNumber, kNs, "waiting for what is not on its way yet"}}),
         kCommunicationTimeFields);
inline constexpr Object kTimeBreakdown{
    "time_breakdown",
    "a mean iteration of an NPU, mean of those with work: it computes, or waits for communication "
    "of a kind (exposed), or for what is not on its way yet (bubble)",
    kTimeBreakdownFields};

// Its parts once more.
inline constexpr auto kPartErrorFields = std::to_array<Field>({
    {"compute", or_null(kNumber), "%", "of computing"},
    {"bubble", or_null(kNumber), "%", "of waiting for what is not on its way yet"},
    {"input_load", or_null(kNumber), "%", "of loading of inputs"},
    {"mp", or_null(kNumber), "%", "of model parallelism"},
    {"pp", or_null(kNumber), "%", "of pipeline parallelism"},
    {"dp", or_null(kNumber), "%", "of data parallelism"},
    {"streaming", or_null(kNumber), "%", "of streaming"},
    {"memory", or_null(kNumber), "%", "of accesses to memory", "with that part"},
    {"ep", or_null(kNumber), "%", "of expert parallelism", "with experts"},
    {"cp", or_null(kNumber), "%", "of context parallelism", "with `--cp` above 1"},
});
inline constexpr Object kPartError{
    "part_error",
    "error that is stated of each part of the time of an iteration, in percent of the part; null: "
    "it is 0, or unmeasured",
    kPartErrorFields};

inline constexpr auto kCriticalPathFields = join(kComputeTimeFields, kCommunicationTimeFields);
inline constexpr Object kCriticalPath{
    "critical_path", "tasks of the critical path by kind, overlapped with computing or not",
    kCriticalPathFields};

inline constexpr auto kRankFields = std::to_array<Field>({
    {"member", kText, kNone, "NPU or I/O controller"},
    {"end_ns", kNumber, kNs, "the sum of what follows"},
    {"compute_ns", kNumber, kNs, "computing"},
    {"memory_ns", kNumber, kNs, "accesses to memory"},
    {"exposed_communication_ns", kNumber, kNs, "waiting for communication"},
    {"bubble_ns", kNumber, kNs, "waiting for what is not on its way yet"},
});
inline constexpr Object kRank{"rank", "where the time of an NPU or I/O controller went",
                              kRankFields};

inline constexpr auto kNpuMemoryFields = std::to_array<Field>({
    {"weights_bytes", kCount, "B",
     "as wide as `npu.value_bytes` says; streamed, of the layers that are there at once"},
    {"gradients_bytes", kCount, "B", "of the same parameters, FP16"},
    {"optimizer_bytes", kCount, "B", "state of the optimizer"},
    {"activations_bytes", kCount, "B", "kept for the backward pass"},
    {"expanded_bytes", kCount, "B",
     "of these, what does not fit `npu.memory`: with `--memory limited` in expanded memory"},
});
inline constexpr Object kNpuMemory{"npu_memory", "memory of the NPU that needs the most",
                                   kNpuMemoryFields};

inline constexpr auto kExpertsFields = std::to_array<Field>({
    {"ep", kPositive, kNone, "workers that experts are spread over"},
    {"router", kText, kNone, "`--router`"},
    {"placement", kText, kNone, "`--expert-placement`"},
    {"slots", or_null(kPositive), kNone,
     "`--expert-slots`; null: as many as `ep` divides them into"},
    {"capacity", or_null(kNumber), kNone, "`--capacity`; null: no limit"},
    {"routed", kCount, "tokens", "that experts took, each once for every expert of it"},
    {"dropped", kCount, "tokens", "that were beyond the capacity, likewise"},
    {"imbalance", kNumber, kNone,
     "tokens of the rank with the most over the mean of all, mean of the layers"},
});
inline constexpr Object kExperts{"experts", "experts of a model", kExpertsFields};

inline constexpr auto kForeignKeyFields = std::to_array<Field>({
    {"key", kText, kNone, "its name in the file"},
    {"found", kText, kNone, "its value there"},
    {"use", word("mapped ignored unsupported"), kNone,
     "mapped: has its meaning; ignored: has no effect on times there, or none on this run; "
     "unsupported: has one there, and none here"},
    {"says", kText, kNone, "its meaning here, or why it has none"},
});
inline constexpr Object kForeignKey{"foreign_key", "a key of a file of ASTRA-sim",
                                    kForeignKeyFields};

inline constexpr auto kTrainingRunFields = join(
    kRunHeadFields,
    std::to_array<Field>({
        {"seed", kCount, kNone, "of payloads and random choices"},
        {"workload", kText, kNone, "name of the model, text workload or traces"},
        {"model_file", or_null(kText), kNone, "file of the model; null: built in, or no model"},
        {"parameters", or_null(kCount), kNone, "of the model; null: of a text workload or traces"},
        {"strategy", or_null(pattern("^mp[0-9]+(-cp[0-9]+)?-dp[0-9]+-pp[0-9]+$")), kNone,
         "as asked for, with cp where it is above 1; null: of a text workload or traces"},
        {"layers_per_stage", or_null(list(kNumber)), "layers",
         "of each stage of the pipeline, of a transformer whole layers and halves; null: of a text "
         "workload or traces"},
    }),
    fields_of<kSequenceRows>(),
    std::to_array<Field>({
        {"placement", or_null(kText), kNone,
         "paper, snake, searched, identity or a file; null: of a text workload or traces"},
        {"placement_npus", or_null(list(kCount)), kNone,
         "NPU of every worker; null: of a text workload or traces"},
    }),
    fields_of<kSampleRows>(), fields_of<kMethodRows>(),
    std::to_array<Field>({
        {"npu_memory", object(kNpuMemory), "B", "that training needs of an NPU", "of models"},
    }),
    fields_of<kExecutionRows>(),
    std::to_array<Field>({
        {"compute_flops_per_s", or_null(kNumber), "FLOP/s",
         "of all NPUs; null: the roofline of each machine"},
        {"idealised", list(kText), kNone, "what costs nothing here, and would on a machine"},
        {"workload_words", list(kText), kNone, "what each word of line 1 does on this machine",
         "of text workloads with words of SimAI"},
        {"astra_keys", list(object(kForeignKey)), kNone, "keys of the system and memory files",
         "of `fredsim astra`"},
        {"experts", object(kExperts), kNone, "its experts", "of models that have some"},
        {"inference", object(kInference), kNone, "the pass", "of inference"},
        {"fit", object(kFit), kNone, "the search for the compute rate", "with `--fit`"},
        {"cycles", kCount, kCycles, "of all iterations"},
        {"time_ns", kNumber, kNs, "the same in time"},
        {"iteration_ns", or_null(kNumber, Null::kInterrupted), kNs, "mean of all iterations"},
        {"iterations_ns", list(kNumber, Many::kFilled), kNs, "of each iteration"},
        {"time_to_first_token_ns", kNumber, kNs, "of prompts", "of prefill"},
        {"time_per_token_ns", kNumber, kNs, "mean of the steps after the first", "of decode"},
        {"tokens_per_s", kNumber, "tokens/s", "of prefill tokens of prompts, of decode tokens made",
         "of inference"},
        {"packet_order", word("recurring paced"), kNone,
         "packets of some of its collectives wait for channels in an order known beforehand, or "
         "have a "
         "pace",
         "where they do"},
    }),
    kBestBaseFields,
    std::to_array<Field>({
        {"speedup", kNumber, kNone, "iteration of the first machine / of this one",
         "after the first machine"},
        {"breakdown_ns", or_null(object(kTimeBreakdown), Null::kInterrupted), kNs,
         "where the time of an iteration went"},
        {"breakdown_error_percent", object(kPartError), "%",
         "what is stated of the error of each part: as much of the iteration for all of them, so "
         "that small parts may be far off",
         "with `--engine flow`"},
        {"critical_path_ns", or_null(object(kCriticalPath), Null::kInterrupted), kNs,
         "tasks of the critical path by kind"},
        {"ranks", list(object(kRank)), kNone, "where the time of each went"},
        {"payload",
         {Kind::kPayload},
         kNone,
         "exact: every lane carried was equal to the prescribed sum, bit for bit; incomplete: "
         "interrupted; not carried: of flows"},
    }),
    kEngineFields, kArrivalFields, kInterruptedFields, kSimulatedFields,
    std::to_array<Field>({
        {"energy_j_per_iteration", or_null(kNumber), "J", "total of `energy` / iterations",
         "where the machine file is known"},
    }),
    kFabricCountFields, kRunTailFields);
inline constexpr Object kTrainingRun{"training_run", "one machine, counters of all iterations",
                                     kTrainingRunFields};

inline constexpr auto kTrainingDocumentFields =
    join(kDocumentFields,
         std::to_array<Field>({{"runs", list(object(kTrainingRun)), kNone, "one per machine"}}));
inline constexpr Object kTrainingDocument{"training", "train", kTrainingDocumentFields};

}  // namespace fredsim::fields
