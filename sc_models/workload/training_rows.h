// SPDX-License-Identifier: Apache-2.0
// Options of `fredsim train`, a row each (results/option_row.h).
//
// Order: that of the help. Results have their fields between others (report/fields/training.h), in the same order.
// Options without a member here are read with others, where a question is completed (runner/train_options.h).
#pragma once

#include <array>
#include <span>

#include "plan/chunk_rows.h"
#include "results/option_row.h"
#include "workload/training_question.h"

namespace fredsim {

namespace training_rows {

using Q = TrainingQuestion;
using T = TrainingOptions;
using fields::or_null;

inline constexpr std::uint64_t kMaxSamples = 1 << 24;
inline constexpr std::uint64_t kMaxIterations = 1000;
inline constexpr std::uint64_t kMaxLayers = 1 << 16;
inline constexpr std::uint64_t kMaxTokens = 1 << 24;
inline constexpr std::uint64_t kMaxSlots = 1 << 12;

inline constexpr Where kModel = Q::kModel, kTraining = Q::kTraining;

inline constexpr auto kOfTraining = std::to_array<OptionRow<Q>>({
    rows::given<Q>(
        {.name = "--workload",
         .value = "NAME",
         .offer = "resnet152 transformer_17b gpt3 transformer_1t",
         .meaning = "resnet152 (default), gpt3 …, a file, or a name such as llama3_70b. Built in "
                    "are resnet152, transformer_17b, gpt3 and transformer_1t; else a model file "
                    "(.yaml) or a text workload of ASTRA-sim (.txt), by its path or, such as "
                    "llama3_70b and libra_175b, by its name in configs/models and "
                    "configs/workloads"}),
    rows::given<Q>({.name = "--trace",
                    .value = "PREFIX",
                    .meaning = "in place of --workload: Chakra execution traces, PREFIX.RANK.et; "
                               "also by the file of a rank"}),
    rows::given<Q>({.name = "--comm-groups",
                    .value = "FILE",
                    .meaning = "of --trace: JSON of the groups that traces name, {\"NAME\": [rank, "
                               "...]} (default: PREFIX.groups.json, where there is one)"}),
    rows::given<Q>({.name = "--export-et",
                    .value = "PREFIX",
                    .meaning = "writes the workload as Chakra execution traces, too: "
                               "PREFIX.RANK.et and PREFIX.groups.json"}),
    rows::number<Q, &Q::training, &T::strategy, &Strategy::mp>(
        {.name = "--mp",
         .value = "N",
         .heading = headings::kPlacement,
         .max = 1 << 16,
         .meaning = "workers that a layer is split over (default 1)",
         .where = kModel | Q::kText}),
    rows::number<Q, &Q::training, &T::strategy, &Strategy::dp>({.name = "--dp",
                                                                .value = "N",
                                                                .heading = headings::kPlacement,
                                                                .max = 1 << 16,
                                                                .meaning = "replicas (default 1)",
                                                                .where = kModel}),
    rows::number<Q, &Q::training, &T::strategy, &Strategy::pp>(
        {.name = "--pp",
         .value = "N",
         .heading = headings::kPlacement,
         .max = 1 << 16,
         .meaning = "stages of the pipeline (default 1)",
         .where = kModel}),
    rows::number<Q, &Q::split, &SequenceSplit::cp>(
        {.name = "--cp",
         .value = "N",
         .heading = headings::kPlacement,
         .max = 1 << 16,
         .meaning = "of transformers, in training and prefill: workers that share the tokens of a "
                    "sequence, and pass keys and values around a ring (default 1)",
         .where = kModel}),
    rows::flag<Q, &Q::split, &SequenceSplit::sp>(
        {.name = "--sp",
         .heading = headings::kPlacement,
         .meaning = "of transformers: MP workers share the tokens between layers, by all-gathers "
                    "and reduce-scatters in place of all-reduces (sequence parallelism)",
         .where = kModel,
         .key = "sequence_parallel",
         .says = "MP workers share the tokens between layers",
         .appears = "with `--sp`"}),
    rows::given<Q>(
        {.name = "--placement",
         .value = "WHERE",
         .heading = headings::kPlacement,
         .offer = "auto paper snake identity",
         .meaning = "NPU of every worker: auto (default), paper, snake, identity or a file. auto: "
                    "the best for this workload's traffic of paper, snake and what a search "
                    "finds; a file has a list of NPUs",
         .where = kModel}),
    rows::number<Q, &Q::training, &T::minibatch>(
        {.name = "--minibatch",
         .value = "N",
         .max = kMaxSamples,
         .meaning = "samples of an iteration, over all replicas",
         .where = kTraining,
         .key = "minibatch",
         .type = or_null(fields::kCount),
         .unit = "samples",
         .says = "of an iteration; null: inference, a text workload or traces"}),
    rows::given<Q>({.name = "--samples",
                    .value = "N",
                    .meaning = "in place of --minibatch: samples of an iteration per replica "
                               "(default 16)",
                    .where = kTraining}),
    rows::number<Q, &Q::training, &T::microbatches>(
        {.name = "--microbatches",
         .value = "N",
         .max = kMaxSamples,
         .meaning = "parts of a replica's samples (default 1, with --pp above 1: 8) or sequences "
                    "(as many as stages)",
         .where = kModel,
         .key = "microbatches",
         .type = or_null(fields::kCount),
         .says = "of a replica; null: of a text workload or traces"}),
    rows::number<Q, &Q::training, &T::iterations>(
        {.name = "--iterations",
         .value = "N",
         .max = kMaxIterations,
         .meaning = "or steps of decode, a token each (default 2; of prefill 1)",
         .where = kModel | Q::kText,
         .stated_in = kEverywhere,
         .key = "iterations",
         .type = fields::kPositive,
         .says = "that were simulated"}),
    rows::word<Q, &Q::inference, &InferenceOptions::phase>(
        {.name = "--phase",
         .value = "NAME",
         .heading = headings::kInference,
         .words = "prefill decode",
         .meaning = "inference of a transformer in place of training: prefill or decode",
         .where = Q::kInference,
         .key = "phase",
         .type = fields::word("prefill decode"),
         .says = "`--phase`"}),
    rows::number<Q, &Q::inference, &InferenceOptions::batch>(
        {.name = "--batch",
         .value = "N",
         .heading = headings::kInference,
         .max = kMaxSamples,
         .meaning = "of --phase: sequences over all replicas (default: one per replica and "
                    "microbatch)",
         .where = Q::kInference,
         .key = "batch",
         .type = fields::kPositive,
         .says = "sequences"}),
    rows::number<Q, &Q::inference, &InferenceOptions::context>(
        {.name = "--context",
         .value = "N",
         .heading = headings::kInference,
         .max = kMaxTokens,
         .meaning = "of --phase: tokens of a prompt, or in the KV cache before the first step "
                    "(default 2048)",
         .where = Q::kInference,
         .key = "context",
         .type = fields::kPositive,
         .unit = "tokens",
         .says = "of a sequence"}),
    OptionRow<Q>{
        {.name = "--overlap",
         .value = "WHAT",
         .heading = headings::kInference,
         .words = "none microbatches=2",
         .meaning = "of --phase: none (default); or microbatches=2: two share the NPUs of a stage, "
                    "one computes while the other one communicates",
         .where = Q::kInference,
         .key = "overlap",
         .type = fields::word("microbatches=2"),
         .says = "microbatches that share the NPUs of a stage, one of which computes while others "
                 "communicate",
         .appears = "with `--overlap`"},
        [](const OptionText& of, Q& options, const std::string& given) {
          options.inference->overlap =
              1 + static_cast<int>(parse_word(of.name, given, words_in(of.words)));
        },
        [](const OptionText&, const Q& options) {
          using Json = nlohmann::ordered_json;
          const int count = options.inference->overlap;
          return count > 1 ? Json(fmt::format("microbatches={}", count))
                           : Json(Json::value_t::discarded);
        }},
    rows::text<Q, &Q::training, &T::algorithm>(
        {.name = "--algorithm",
         .value = "NAME",
         .heading = headings::kTraining,
         .meaning = "of the collectives: auto (default: the one estimated to be the fastest), "
                    "paper (the paper's) or any other of run. Traces may name their own",
         .key = "algorithm",
         .says = "of the collectives"}),
    rows::word<Q, &Q::training, &T::accounting>(
        {.name = "--accounting",
         .value = "NAME",
         .heading = headings::kTraining,
         .words = "serial overlap",
         .meaning = "serial (default): gradients are sent after the backward pass, and senders "
                    "wait; or overlap",
         .where = kTraining,
         .key = "accounting",
         .says = "`--accounting`; null: inference, a text workload or traces"}),
    rows::text<Q, &Q::gradients>(
        {.name = "--gradients",
         .value = "WHAT",
         .heading = headings::kTraining,
         .meaning = "bucket=SIZE (default, 25MB) or layer: all-reduces; zero2=SIZE: "
                    "reduce-scatters and all-gathers; with --accounting overlap, their default, "
                    "dear=SIZE: the same beside the next forward pass, or priority=SIZE: "
                    "all-reduces, the layer needed first goes first. ,every=N, or alone: within "
                    "nodes of a system, over all replicas in each Nth iteration",
         .where = kTraining,
         .key = "gradients",
         .type = or_null(fields::pattern(
             "^(layer|streamed|(bucket|zero2|dear|priority)=[^,]+)(,every=[0-9]+)?$")),
         .says = "`--gradients`; null: inference, a text workload or traces"}),
    rows::text<Q, &Q::compress>(
        {.name = "--compress",
         .value = "DIM=N,...",
         .heading = headings::kTraining,
         .meaning = "of mp, dp and pp: collectives along it carry one of N bytes, such as "
                    "dp=100,mp=20",
         .where = Q::kStationary,
         .key = "compress",
         .says = "`--compress`; null: nothing is"}),
    rows::word<Q, &Q::training, &T::optimizer>(
        {.name = "--optimizer",
         .value = "NAME",
         .heading = headings::kTraining,
         .words = "none sgd adam",
         .meaning = "none (default), whose updates take no time, sgd or adam: parameters, "
                    "gradients and its state go through the memory of the NPUs",
         .where = Q::kStationary,
         .reason = "The I/O controllers update the weights",
         .key = "optimizer",
         .says = "`--optimizer`; null: weights are streamed, or inference, a text workload or "
                 "traces"}),
    rows::word<Q, &Q::training, &T::recompute>(
        {.name = "--recompute",
         .value = "WHAT",
         .heading = headings::kTraining,
         .words = "none selective full",
         .meaning = "activations that the backward pass computes again: none (default), "
                    "selective, attention scores, or full, all but the outputs of layers",
         .where = kTraining,
         .key = "recompute",
         .says = "`--recompute`; null: inference, a text workload or traces"}),
    rows::word<Q, &Q::training, &T::limits_memory>(
        {.name = "--memory",
         .value = "NAME",
         .heading = headings::kTraining,
         .words = "unlimited limited",
         .meaning = "of the NPUs. unlimited (default): what a model needs beyond npu.memory costs "
                    "nothing. limited: it goes to npu.expanded_memory at its bandwidth, or is "
                    "refused",
         .where = kTraining,
         .key = "memory",
         .says = "`--memory`; null: inference, a text workload or traces"}),
    rows::word<Q, &Q::training, &T::execution>(
        {.name = "--execution",
         .value = "NAME",
         .heading = headings::kTraining,
         .words = "stationary streaming",
         .meaning = "stationary: weights stay on the NPUs; or streaming: I/O controllers send them "
                    "layer by layer, and get the gradients (default of gpt3 and transformer_1t)",
         .where = kTraining,
         .key = "execution",
         .says = "`--execution`; null: inference, a text workload or traces"}),
    rows::word<Q, &Q::training, &T::stream>(
        {.name = "--stream",
         .value = "WHAT",
         .heading = headings::kTraining,
         .words = "broadcast multicast",
         .meaning = "weights go to all NPUs, broadcast (default), or to those that use them, "
                    "multicast",
         .where = Q::kStreaming,
         .key = "stream",
         .says = "`--stream`; null: weights stay"}),
    rows::number<Q, &Q::training, &T::stream_layers>(
        {.name = "--stream-layers",
         .value = "N",
         .heading = headings::kTraining,
         .max = kMaxLayers,
         .meaning = "layers of the model that come in together for each stage (default 2)",
         .where = Q::kStreaming,
         .key = "stream_layers",
         .type = or_null(fields::kCount),
         .says = "layers of a stage that come in together; null: weights stay"}),
    rows::number<Q, &Q::training, &T::stream_groups>(
        {.name = "--stream-groups",
         .value = "N",
         .heading = headings::kTraining,
         .max = kMaxLayers,
         .meaning = "with --accounting overlap: of these groups of layers, those that an NPU has "
                    "room for (default 2)",
         .where = Q::kStreaming}),
    rows::given<Q>({.name = "--compute-rate",
                    .value = "RATE",
                    .heading = headings::kTraining,
                    .meaning = "of all NPUs, such as 10PFLOP/s, in place of the roofline of the "
                               "machine files",
                    .where = kEverywhere & ~Q::kInference}),
    rows::given<Q>({.name = "--fit",
                    .value = "CONFIG=SPEEDUP",
                    .heading = headings::kTraining,
                    .meaning = "finds the compute rate of all NPUs at which this machine has this "
                               "speed-up over the base",
                    .where = kEverywhere & ~Q::kInference}),
    rows::word<Q, &Q::on_conflict>(
        {.name = "--on-conflict",
         .value = "WHAT",
         .heading = headings::kModel,
         .words = "refuse later unicast",
         .meaning = "groups that cannot be routed together: refuse (default), later or unicast"}),
    rows::word<Q, &Q::packet_order>(
        {.name = "--packet-order",
         .value = "WHAT",
         .heading = headings::kModel,
         .words = "auto arrival recurring paced",
         .meaning = "arrival, recurring, auto (default) or, on meshes and toruses, paced, as of "
                    "run: with paced large models are simulated faster"}),
});

inline constexpr auto kOfExperts = std::to_array<OptionRow<Q>>({
    rows::number<Q, &Q::experts, &ExpertOptions::ep>(
        {.name = "--ep",
         .value = "N",
         .heading = headings::kExperts,
         .max = 1 << 16,
         .meaning = "workers of a stage that experts are spread over, which divide MP x DP "
                    "(default 1)",
         .where = kModel}),
    rows::given<Q>(
        {.name = "--router",
         .value = "WHAT",
         .heading = headings::kExperts,
         .offer = "uniform zipf:1",
         .meaning = "tokens of each expert: uniform (default), zipf:S, the r-th most popular of a "
                    "layer in proportion to 1/r^S, drawn by --seed, or a file of shares or tokens",
         .where = kModel}),
    rows::text<Q, &Q::experts, &ExpertOptions::placement>(
        {.name = "--expert-placement",
         .value = "WHERE",
         .heading = headings::kExperts,
         .offer = "contiguous balanced",
         .meaning = "experts of each rank: contiguous (default), balanced, what a search finds "
                    "for the router, or a file",
         .where = kModel}),
    rows::number<Q, &Q::experts, &ExpertOptions::slots>(
        {.name = "--expert-slots",
         .value = "N",
         .heading = headings::kExperts,
         .max = kMaxSlots,
         .meaning = "experts of a rank; more than --ep divides them into: copies of some, which "
                    "share their tokens (balanced: of the hottest)",
         .where = kModel}),
    rows::given<Q>({.name = "--capacity",
                    .value = "F",
                    .heading = headings::kExperts,
                    .meaning = "an expert takes F times its mean share of a rank's tokens at most, "
                               "others are dropped (default: no limit)",
                    .where = kModel}),
});

inline constexpr auto kOfOutput = std::to_array<OptionRow<Q>>({
    rows::flag<Q, &Q::best_base>(
        {.name = "--best-base",
         .heading = headings::kOutput,
         .meaning = "the base once more, as well as it can: --algorithm auto, --placement auto "
                    "and, streaming, --stream multicast; speed-ups over both"}),
});

inline constexpr auto kAll =
    rows::join(kOfTraining, kChunkRows<Q, &Q::chunking>, kOfExperts, kOfOutput);

}  // namespace training_rows

inline constexpr std::span<const OptionRow<TrainingQuestion>> kTrainingRows = training_rows::kAll;

}  // namespace fredsim
