// SPDX-License-Identifier: Apache-2.0
// Options of `fredsim train`, a row each (results/option_row.h).
//
// Order: order of the help. Results have the fields between other fields
//   (report/fields/training.h), in the same order. Options without a member here are read together
//   with others, when a question is completed (runner/train_options.h).
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

inline constexpr auto kOverlap = [] {
  OptionRow<Q> row = rows::given<Q>(
      "--overlap", "WHAT",
      "inference: none (default) or microbatches=2: two share a stage's NPUs, one computes while "
      "the other communicates",
      {.words = "none microbatches=2",
       .where = Q::kInference,
       .key = "overlap",
       .type = fields::word("microbatches=2"),
       .says = "microbatches that share the NPUs of a stage, one of which computes while others "
               "communicate",
       .appears = "with `--overlap`"});
  row.read = [](const OptionText& of, Q& options, const std::string& given) {
    options.inference->overlap =
        1 + static_cast<int>(parse_word(of.name, given, words_in(of.words)));
  };
  row.stated = [](const OptionText&, const Q& options) {
    using Json = nlohmann::ordered_json;
    const int count = options.inference->overlap;
    return count > 1 ? Json(fmt::format("microbatches={}", count)) : Json(Json::value_t::discarded);
  };
  return row;
}();

inline constexpr auto kOfTraining = rows::join(
    rows::under(headings::kWork,
                rows::given<Q>(
                    "--workload", "NAME",
                    "resnet152 (default), gpt3 …, a file, or a name such as llama3_70b. Built in "
                    "are resnet152, transformer_17b, gpt3 and transformer_1t; else a model file "
                    "(.yaml) or a text workload of ASTRA-sim (.txt), by its path or, such as "
                    "llama3_70b and libra_175b, by its name in configs/models and "
                    "configs/workloads",
                    {.offer = "resnet152 transformer_17b gpt3 transformer_1t"}),
                rows::given<Q>("--trace", "PREFIX",
                               "in place of --workload: Chakra execution traces, PREFIX.RANK.et; "
                               "also by the file of a rank. JSON is read, too (.json, .jsonl), and "
                               "each with .gz"),
                rows::given<Q>("--comm-groups", "FILE",
                               "of --trace: JSON of the groups that traces name, {\"NAME\": [rank, "
                               "...]} (default: PREFIX.groups.json, where there is one, or the "
                               "traces' own)"),
                rows::given<Q>("--communication", "HOW",
                               "of --trace: simulated (default), or recorded: communications take "
                               "the time that they took, each rank by itself, without a network",
                               {.offer = "simulated recorded"}),
                rows::given<Q>("--dependencies", "WHICH",
                               "of --trace: all, or data: without control dependencies, which are "
                               "the call stack of recorded traces (default: all, unless some name "
                               "nodes that are not there)",
                               {.offer = "all data"}),
                rows::given<Q>("--export-et", "PREFIX",
                               "writes the workload as Chakra execution traces, too: "
                               "PREFIX.RANK.et and PREFIX.groups.json")),
    rows::under(
        headings::kPlacement,
        rows::number<&Q::training, &T::strategy, &Strategy::mp>(
            "--mp", "N", "workers that a layer is split over (default 1)",
            {.max = 1 << 16, .where = kModel | Q::kText}),
        rows::number<&Q::training, &T::strategy, &Strategy::dp>("--dp", "N", "replicas (default 1)",
                                                                {.max = 1 << 16, .where = kModel}),
        rows::number<&Q::training, &T::strategy, &Strategy::pp>(
            "--pp", "N", "stages of the pipeline (default 1)", {.max = 1 << 16, .where = kModel}),
        rows::number<&Q::split, &SequenceSplit::cp>(
            "--cp", "N",
            "transformers, training and prefill: workers that split a sequence and pass keys and "
            "values around a ring (default 1)",
            {.max = 1 << 16, .where = kModel}),
        rows::flag<&Q::split, &SequenceSplit::sp>(
            "--sp",
            "transformers: MP workers split the tokens between layers, with all-gathers and "
            "reduce-scatters in place of all-reduces (sequence parallelism)",
            {.where = kModel,
             .key = "sequence_parallel",
             .says = "MP workers share the tokens between layers",
             .appears = "with `--sp`"}),
        rows::given<Q>(
            "--placement", "WHERE",
            "NPU of every worker: auto (default), paper, snake, identity or a file. auto: the best "
            "of paper, snake and a search, for this workload's traffic; a file has a list of NPUs",
            {.offer = "auto paper snake identity", .where = kModel})),
    rows::under(
        headings::kWork,
        rows::number<&Q::training, &T::minibatch>(
            "--minibatch", "N", "samples of an iteration, over all replicas",
            {.max = kMaxSamples,
             .where = kTraining,
             .key = "minibatch",
             .type = or_null(fields::kCount),
             .unit = "samples",
             .says = "of an iteration; null: inference, a text workload or traces"}),
        rows::given<Q>("--samples", "N",
                       "in place of --minibatch: samples of an iteration per replica "
                       "(default 16)",
                       {.where = kTraining}),
        rows::number<&Q::training, &T::microbatches>(
            "--microbatches", "N",
            "parts of a replica's samples (default 1, with --pp above 1: 8) or sequences "
            "(as many as stages)",
            {.max = kMaxSamples,
             .where = kModel,
             .key = "microbatches",
             .type = or_null(fields::kCount),
             .says = "of a replica; null: of a text workload or traces"}),
        rows::number<&Q::training, &T::iterations>(
            "--iterations", "N", "or steps of decode, a token each (default 2; of prefill 1)",
            {.max = kMaxIterations,
             .where = kModel | Q::kText,
             .stated_in = kEverywhere,
             .key = "iterations",
             .type = fields::kPositive,
             .says = "that were simulated"})),
    rows::under(
        headings::kInference,
        rows::word<&Q::inference, &InferenceOptions::phase>(
            "--phase", "NAME", "inference of a transformer in place of training: prefill or decode",
            {.words = "prefill decode",
             .where = Q::kInference,
             .key = "phase",
             .type = fields::word("prefill decode"),
             .says = "`--phase`"}),
        rows::number<&Q::inference, &InferenceOptions::batch>(
            "--batch", "N",
            "inference: sequences over all replicas (default: one per replica and microbatch)",
            {.max = kMaxSamples,
             .where = Q::kInference,
             .key = "batch",
             .type = fields::kPositive,
             .says = "sequences"}),
        rows::number<&Q::inference, &InferenceOptions::context>(
            "--context", "N",
            "inference: tokens of a prompt, or in the KV cache before the first step (default "
            "2048)",
            {.max = kMaxTokens,
             .where = Q::kInference,
             .key = "context",
             .type = fields::kPositive,
             .unit = "tokens",
             .says = "of a sequence"}),
        kOverlap),
    rows::under(
        headings::kTraining,
        rows::text<&Q::training, &T::algorithm>(
            "--algorithm", "NAME",
            "of the collectives: auto (default: the one estimated to be the fastest), "
            "paper (the paper's) or any other of run. Traces may name their own",
            {.key = "algorithm", .says = "of the collectives"}),
        rows::word<&Q::training, &T::accounting>(
            "--accounting", "NAME",
            "serial (default): gradients are sent after the backward pass, and senders "
            "wait; or overlap",
            {.words = "serial overlap",
             .where = kTraining,
             .key = "accounting",
             .says = "`--accounting`; null: inference, a text workload or traces"}),
        rows::text<&Q::gradients>(
            "--gradients", "WHAT",
            "bucket=SIZE (default, 25MB) or layer: all-reduces; zero2=SIZE: "
            "reduce-scatters and all-gathers; with --accounting overlap, their default, "
            "dear=SIZE: the same beside the next forward pass, or priority=SIZE: "
            "all-reduces, the layer needed first goes first. ,every=N, or alone: within "
            "nodes of a system, over all replicas in each Nth iteration",
            {.where = kTraining,
             .key = "gradients",
             .type = or_null(fields::pattern(
                 "^(layer|streamed|(bucket|zero2|dear|priority)=[^,]+)(,every=[0-9]+)?$")),
             .says = "`--gradients`; null: inference, a text workload or traces"}),
        rows::text<&Q::compress>(
            "--compress", "DIM=N,...",
            "collectives along mp, dp or pp carry 1/N of their bytes, such as dp=100,mp=20",
            {.where = Q::kStationary, .key = "compress", .says = "`--compress`; null: nothing is"}),
        rows::word<&Q::training, &T::optimizer>(
            "--optimizer", "NAME",
            "none (default: updates take no time), sgd or adam: parameters, gradients and state "
            "pass through the NPUs' memory",
            {.words = "none sgd adam",
             .where = Q::kStationary,
             .reason = "The I/O controllers update the weights",
             .key = "optimizer",
             .says = "`--optimizer`; null: weights are streamed, or inference, a text workload or "
                     "traces"}),
        rows::word<&Q::training, &T::recompute>(
            "--recompute", "WHAT",
            "activations that the backward pass computes again: none (default), "
            "selective, attention scores, or full, all but the outputs of layers",
            {.words = "none selective full",
             .where = kTraining,
             .key = "recompute",
             .says = "`--recompute`; null: inference, a text workload or traces"}),
        rows::word<&Q::training, &T::limits_memory>(
            "--memory", "NAME",
            "memory of the NPUs. unlimited (default): bytes beyond npu.memory cost nothing. "
            "limited: they go to npu.expanded_memory at its bandwidth, or are refused",
            {.words = "unlimited limited",
             .where = kTraining,
             .key = "memory",
             .says = "`--memory`; null: inference, a text workload or traces"}),
        rows::word<&Q::training, &T::execution>(
            "--execution", "NAME",
            "stationary: weights stay on the NPUs; or streaming: I/O controllers send them "
            "layer by layer, and get the gradients (default of gpt3 and transformer_1t)",
            {.words = "stationary streaming",
             .where = kTraining,
             .key = "execution",
             .says = "`--execution`; null: inference, a text workload or traces"}),
        rows::word<&Q::training, &T::stream>(
            "--stream", "WHAT",
            "weights go to all NPUs, broadcast (default), or to those that use them, "
            "multicast",
            {.words = "broadcast multicast",
             .where = Q::kStreaming,
             .key = "stream",
             .says = "`--stream`; null: weights stay"}),
        rows::number<&Q::training, &T::stream_layers>(
            "--stream-layers", "N", "layers that are loaded together for each stage (default 2)",
            {.max = kMaxLayers,
             .where = Q::kStreaming,
             .key = "stream_layers",
             .type = or_null(fields::kCount),
             .says = "layers of a stage that come in together; null: weights stay"}),
        rows::number<&Q::training, &T::stream_groups>(
            "--stream-groups", "N",
            "layer groups that fit in an NPU, with --accounting overlap (default 2)",
            {.max = kMaxLayers, .where = Q::kStreaming}),
        rows::given<Q>("--compute-rate", "RATE",
                       "of all NPUs, such as 10PFLOP/s, in place of the roofline of the "
                       "machine files",
                       {.where = kEverywhere & ~Q::kInference}),
        rows::given<Q>("--fit", "CONFIG=SPEEDUP",
                       "finds the compute rate of all NPUs at which this machine has this "
                       "speed-up over the base",
                       {.where = kEverywhere & ~Q::kInference})),
    rows::under(
        headings::kModel,
        rows::word<&Q::on_conflict>(
            "--on-conflict", "WHAT",
            "groups that cannot be routed together: refuse (default), later or unicast",
            {.words = "refuse later unicast"}),
        rows::word<&Q::packet_order>(
            "--packet-order", "WHAT",
            "arrival, recurring, auto (default) or, on meshes and toruses, paced, as of "
            "run: with paced large models are simulated faster",
            {.words = "auto arrival recurring paced", .only_exact = "flows have no packets"})));

inline constexpr auto kOfExperts = rows::under(
    headings::kExperts,
    rows::number<&Q::experts, &ExpertOptions::ep>(
        "--ep", "N",
        "workers of a stage that experts are spread over, which divide MP x DP "
        "(default 1)",
        {.max = 1 << 16, .where = kModel}),
    rows::given<Q>("--router", "WHAT",
                   "tokens of each expert: uniform (default), zipf:S, the r-th most popular of a "
                   "layer in proportion to 1/r^S, drawn by --seed, or a file of shares or tokens",
                   {.offer = "uniform zipf:1", .where = kModel}),
    rows::text<&Q::experts, &ExpertOptions::placement>(
        "--expert-placement", "WHERE",
        "experts of each rank: contiguous (default), balanced, what a search finds "
        "for the router, or a file",
        {.offer = "contiguous balanced", .where = kModel}),
    rows::number<&Q::experts, &ExpertOptions::slots>(
        "--expert-slots", "N",
        "experts per rank; slots beyond an even share hold copies, which share their expert's "
        "tokens (balanced: copies of the hottest)",
        {.max = kMaxSlots, .where = kModel}),
    rows::given<Q>("--capacity", "F",
                   "an expert takes at most F times its mean share of a rank's tokens and drops "
                   "the rest (default: no limit)",
                   {.where = kModel}));

inline constexpr auto kOfOutput = rows::under(
    headings::kOutput,
    rows::flag<&Q::best_base>("--best-base",
                              "also runs the base at its best: --algorithm auto, --placement auto "
                              "and, when streaming, --stream multicast; speed-ups over both"));

inline constexpr auto kAll =
    rows::join(kOfTraining, kChunkRows<&Q::chunking>, kOfExperts, kOfOutput);

}  // namespace training_rows

inline constexpr std::span<const OptionRow<TrainingQuestion>> kTrainingRows = training_rows::kAll;

}  // namespace fredsim
