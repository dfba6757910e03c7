// SPDX-License-Identifier: Apache-2.0
#include "cli/train_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/config_tree.h"
#include "base/error.h"
#include "base/suggest.h"
#include "base/units.h"
#include "cli/add_option.h"
#include "cli/gradient_arguments.h"
#include "cli/work_arguments.h"
#include "config/machine_path.h"
#include "config/npu_compute.h"
#include "runner/option_values.h"
#include "runner/trace_output.h"

namespace fredsim {
namespace {

constexpr std::uint64_t kMaxSamples = 1 << 24;
constexpr std::uint64_t kMaxIterations = 1000;
constexpr std::uint64_t kMaxLayers = 1 << 16;
constexpr std::uint64_t kSamplesOfReplica = 16;  // §8.2
constexpr double kMaxSpeedup = 1000;
// Words of options, in the order of their enumerations.
constexpr auto kAccounting = std::to_array<std::string_view>({"serial", "overlap"});
constexpr auto kExecutions = std::to_array<std::string_view>({"stationary", "streaming"});
constexpr auto kStreams = std::to_array<std::string_view>({"broadcast", "multicast"});
constexpr auto kRecompute = std::to_array<std::string_view>({"none", "selective", "full"});
constexpr auto kMemory = std::to_array<std::string_view>({"unlimited", "limited"});
constexpr auto kOptimizers = std::to_array<std::string_view>({"none", "sgd", "adam"});
constexpr auto kPhases = std::to_array<std::string_view>({"prefill", "decode"});
constexpr auto kOverlaps = std::to_array<std::string_view>({"none", "microbatches=2"});

// Refuses an option that was given, and is not for this kind of run.
void refuse_given(std::string_view option, const std::string& text, std::string_view reason) {
  if (!text.empty()) throw BadInput(fmt::format("{}: found '{}'{}", option, shown(text), reason));
}

// Beside another option, in whose place it is.
void refuse_beside(std::string_view option, const std::string& text, std::string_view other,
                   const std::string& of_other) {
  if (!of_other.empty())
    refuse_given(option, text, fmt::format(" together with {}; allowed: one of them", other));
}

void check_accounting(const std::string& text, TrainOptions& options) {
  options.training.accounting =
      static_cast<Accounting>(parse_word("--accounting", text, kAccounting));
  options.accounting = text;
}

// Models that do not fit the NPUs (§8.2).
bool streams_by_default(const std::string& workload) {
  return workload == "gpt3" || workload == "transformer_1t";
}

FitOptions fit_of(const std::string& text, const std::vector<std::string>& machines) {
  const std::size_t end = text.rfind('=');
  FitOptions fit;
  fit.word = text.substr(0, end);
  const std::string number = end == std::string::npos ? "" : text.substr(end + 1);
  const char* const last = number.data() + number.size();
  const auto [stop, error] = std::from_chars(number.data(), last, fit.speedup);
  if (error != std::errc() || stop != last || !(fit.speedup > 0) || fit.speedup > kMaxSpeedup)
    throw BadInput(
        fmt::format("--fit: found '{}'; allowed: a machine of the command line and its speed-up, "
                    "such as configs/fred_c.yaml=1.41",
                    shown(text)));
  const auto found = std::find(machines.begin() + 1, machines.end(), fit.word);
  if (found == machines.end()) {
    const std::vector<std::string_view> others(machines.begin() + 1, machines.end());
    throw BadInput(fmt::format(
        "--fit: found '{}'; allowed: {}", shown(fit.word),
        others.empty() ? "a machine beside the base, there is none" : join_words(others)));
  }
  fit.machine = static_cast<std::size_t>(found - machines.begin());
  return fit;
}

[[noreturn]] void refuse_workload(const std::string& found) {
  const std::vector<std::string> files = workload_names(machine_folder());
  std::vector<std::string_view> names = built_in_models();
  names.insert(names.end(), files.begin(), files.end());
  throw BadInput(fmt::format("--workload: found '{}', which is no file and no model; {}",
                             shown(found), advice(found, names)));
}

// "PREFIX" of "PREFIX.3.et", a file of one rank; else the text.
std::string trace_prefix(const std::string& text) {
  constexpr std::string_view kEnding = ".et";
  if (!text.ends_with(kEnding)) return text;
  const std::string_view rest = std::string_view(text).substr(0, text.size() - kEnding.size());
  const std::size_t dot = rest.rfind('.');
  const bool has_rank = dot != std::string_view::npos && dot > 0 && dot + 1 < rest.size() &&
                        rest.find_first_not_of("0123456789", dot + 1) == std::string_view::npos;
  return has_rank ? std::string(rest.substr(0, dot)) : text;
}

// A file of groups beside traces, as --export-et writes it; empty: there is none.
std::string groups_beside(const std::string& prefix) {
  std::error_code error;
  std::string file = groups_file(prefix);
  return std::filesystem::exists(file, error) ? file : "";
}

}  // namespace

void TrainStrings::add_to(CLI::App& command) {
  offer(add(command, "--workload", workload, "NAME",
            "resnet152 (default), gpt3 …, a file, or a name such as llama3_70b. Built in are "
            "resnet152, transformer_17b, gpt3 and transformer_1t; else a model file (.yaml) or a "
            "text workload of ASTRA-sim (.txt), by its path or, such as llama3_70b and libra_175b, "
            "by its name in configs/models and configs/workloads"),
        built_in_models());
  add(command, "--trace", trace, "PREFIX",
      "in place of --workload: Chakra execution traces, PREFIX.RANK.et; also by the file of a "
      "rank");
  add(command, "--comm-groups", comm_groups, "FILE",
      "of --trace: JSON of the groups that traces name, {\"NAME\": [rank, ...]} (default: "
      "PREFIX.groups.json, where there is one)");
  add(command, "--export-et", export_et, "PREFIX",
      "writes the workload as Chakra execution traces, too: PREFIX.RANK.et and PREFIX.groups.json");
  under(command, heading::kPlacement);
  add(command, "--mp", mp, "N", "workers that a layer is split over (default 1)");
  add(command, "--dp", dp, "N", "replicas (default 1)");
  add(command, "--pp", pp, "N", "stages of the pipeline (default 1)");
  add(command, "--cp", cp, "N",
      "of transformers, in training and prefill: workers that share the tokens of a sequence, and "
      "pass keys and values around a ring (default 1)");
  command.add_flag("--sp", sp,
                   "of transformers: MP workers share the tokens between layers, by all-gathers "
                   "and reduce-scatters in place of all-reduces (sequence parallelism)");
  offer(add(command, "--placement", placement, "WHERE",
            "NPU of every worker: auto (default), paper, snake, identity or a file. auto: the best "
            "for this workload's traffic of paper, snake and what a search finds; a file has a "
            "list of NPUs"),
        "auto paper snake identity");
  under(command, heading::kWork);
  add(command, "--minibatch", minibatch, "N", "samples of an iteration, over all replicas");
  add(command, "--samples", samples, "N",
      "in place of --minibatch: samples of an iteration per replica (default 16)");
  add(command, "--microbatches", microbatches, "N",
      "parts of a replica's samples (default 1, with --pp above 1: 8) or sequences (as many as "
      "stages)");
  add(command, "--iterations", iterations, "N",
      "or steps of decode, a token each (default 2; of prefill 1)");
  under(command, heading::kInference);
  offer(add(command, "--phase", phase, "NAME",
            "inference of a transformer in place of training: prefill or decode"),
        kPhases);
  add(command, "--batch", batch, "N",
      "of --phase: sequences over all replicas (default: one per replica and microbatch)");
  add(command, "--context", context, "N",
      "of --phase: tokens of a prompt, or in the KV cache before the first step (default 2048)");
  offer(add(command, "--overlap", overlap, "WHAT",
            "of --phase: none (default); or microbatches=2: two share the NPUs of a stage, one "
            "computes while the other one communicates"),
        kOverlaps);
  under(command, heading::kTraining);
  offer(add(command, "--algorithm", algorithm, "NAME",
            "of the collectives: auto (default: the one estimated to be the fastest), paper (the "
            "paper's) or any other of run. Traces may name their own"),
        algorithm_words());
  offer(add(command, "--accounting", accounting, "NAME",
            "serial (default): gradients are sent after the backward pass, and senders wait; or "
            "overlap"),
        kAccounting);
  add(command, "--gradients", gradients, "WHAT",
      "bucket=SIZE (default, 25MB) or layer: all-reduces; zero2=SIZE: reduce-scatters and "
      "all-gathers; with --accounting overlap, their default, dear=SIZE: the same beside the next "
      "forward pass, or priority=SIZE: all-reduces, the layer needed first goes first. ,every=N, "
      "or alone: within nodes of a system, over all replicas in each Nth iteration");
  add(command, "--compress", compress, "DIM=N,...",
      "of mp, dp and pp: collectives along it carry one of N bytes, such as dp=100,mp=20");
  offer(
      add(command, "--optimizer", optimizer, "NAME",
          "none (default), whose updates take no time, sgd or adam: parameters, gradients and its "
          "state go through the memory of the NPUs"),
      kOptimizers);
  offer(
      add(command, "--recompute", recompute, "WHAT",
          "activations that the backward pass computes again: none (default), selective, attention "
          "scores, or full, all but the outputs of layers"),
      kRecompute);
  offer(add(command, "--memory", memory, "NAME",
            "of the NPUs. unlimited (default): what a model needs beyond npu.memory costs nothing. "
            "limited: it goes to npu.expanded_memory at its bandwidth, or is refused"),
        kMemory);
  offer(
      add(command, "--execution", execution, "NAME",
          "stationary: weights stay on the NPUs; or streaming: I/O controllers send them layer by "
          "layer, and "
          "get the gradients (default of gpt3 and transformer_1t)"),
      kExecutions);
  offer(add(command, "--stream", stream, "WHAT",
            "weights go to all NPUs, broadcast (default), or to those that use them, multicast"),
        kStreams);
  add(command, "--stream-layers", stream_layers, "N",
      "layers of the model that come in together for each stage (default 2)");
  add(command, "--stream-groups", stream_groups, "N",
      "with --accounting overlap: of these groups of layers, those that an NPU has room for "
      "(default 2)");
  add(command, "--compute-rate", compute_rate, "RATE",
      "of all NPUs, such as 10PFLOP/s, in place of the roofline of the machine files");
  add(command, "--fit", fit, "CONFIG=SPEEDUP",
      "finds the compute rate of all NPUs at which this machine has this speed-up over the base");
  under(command, heading::kModel);
  offer(add(command, "--on-conflict", on_conflict, "WHAT",
            "groups that cannot be routed together: refuse (default), later or unicast"),
        kOnConflict);
  offer(add(command, "--packet-order", packet_order, "WHAT",
            "arrival, recurring, auto (default) or, on meshes and toruses, paced, as of run: with "
            "paced "
            "large models are simulated faster"),
        kPacketOrder);
  chunking.add_to(command);
  experts.add_to(command);
  under(command, heading::kOutput);
  command.add_flag("--best-base", best_base,
                   "the base once more, as well as it can: --algorithm auto, --placement auto and, "
                   "streaming, --stream multicast; speed-ups over both");
}

void TrainStrings::check_samples(TrainOptions& options) const {
  TrainingOptions& training = options.training;
  const auto replicas = static_cast<std::uint64_t>(training.strategy.dp / options.split.cp);
  if (!microbatches.empty())
    training.microbatches = parse_number(microbatches, "--microbatches", 1, kMaxSamples);
  else if (training.strategy.pp > 1)
    training.microbatches = kPipelineMicrobatches;
  refuse_beside("--samples", samples, "--minibatch", minibatch);
  if (!minibatch.empty())
    training.minibatch = parse_number(minibatch, "--minibatch", 1, kMaxSamples);
  else
    training.minibatch =
        replicas *
        (samples.empty() ? kSamplesOfReplica : parse_number(samples, "--samples", 1, kMaxSamples));
}

void TrainStrings::check_rate(TrainOptions& options,
                              const std::vector<std::string>& machines) const {
  constexpr double kFlopsPerGflop = 1e9;
  if (!compute_rate.empty())
    options.compute_rate =
        kFlopsPerGflop * static_cast<double>(parse_flop_rate(compute_rate, "--compute-rate"));
  if (fit.empty()) return;
  refuse_beside("--fit", fit, "--compute-rate", compute_rate);
  options.fit = fit_of(fit, machines);
}

void TrainStrings::check_execution(TrainOptions& options) const {
  TrainingOptions& training = options.training;
  options.execution = !execution.empty()                     ? execution
                      : streams_by_default(options.workload) ? "streaming"
                                                             : "stationary";
  training.execution =
      static_cast<Execution>(parse_word("--execution", options.execution, kExecutions));
  if (training.execution == Execution::kStationary) {
    for (const auto& [option, text] :
         {std::pair("--stream", &stream), std::pair("--stream-layers", &stream_layers),
          std::pair("--stream-groups", &stream_groups)})
      refuse_given(option, *text, "; allowed: with --execution streaming");
    return check_optimizer(options);
  }
  refuse_given("--gradients", gradients,
               "; allowed: with --execution stationary. Gradients go to the I/O controllers");
  refuse_given("--compress", compress, "; allowed: with --execution stationary");
  refuse_given("--optimizer", optimizer,
               "; allowed: with --execution stationary. The I/O controllers update the weights");
  options.gradients = "streamed";
  options.stream = stream.empty() ? "broadcast" : stream;
  training.stream = static_cast<Stream>(parse_word("--stream", options.stream, kStreams));
  if (!stream_layers.empty())
    training.stream_layers =
        static_cast<int>(parse_number(stream_layers, "--stream-layers", 1, kMaxLayers));
  if (stream_groups.empty()) return;
  if (training.accounting == Accounting::kSerial)
    refuse_given("--stream-groups", stream_groups, "; allowed: with --accounting overlap");
  training.stream_groups =
      static_cast<int>(parse_number(stream_groups, "--stream-groups", 1, kMaxLayers));
}

void TrainStrings::check_gradients(TrainOptions& options) const {
  TrainingOptions& training = options.training;
  options.gradients = parse_gradients(gradients.empty() ? "bucket=25MB" : gradients, training);
  const bool feeds = feeds_layers(training.gradients);
  check_accounting(!accounting.empty() ? accounting : feeds ? "overlap" : "serial", options);
  if (feeds && training.accounting == Accounting::kSerial)
    refuse_given("--accounting", accounting,
                 fmt::format(" together with --gradients {}; allowed: overlap", options.gradients));
  if (training.gradients == Gradients::kPriority)
    refuse_given("--export-et", export_et,
                 " together with --gradients priority; allowed: any other. Which collective goes "
                 "first depends on when gradients are there, and traces have one order");
  options.compress = parse_compression(compress, training.compression);
  if (training.every == 1) return;
  if (options.split.cp > 1)
    refuse_given("--cp", cp,
                 fmt::format(" together with --gradients {}; allowed: without every=. Workers of a "
                             "context have parts of the same gradients",
                             options.gradients));
  if (iterations.empty()) training.iterations = training.every;
  if (training.iterations % training.every != 0)
    throw BadInput(
        fmt::format("--iterations: found {} together with --gradients {}; allowed: a "
                    "multiple of {}, over which times are averaged",
                    training.iterations, options.gradients, training.every));
}

void TrainStrings::check_memory(TrainOptions& options) const {
  options.recompute = recompute.empty() ? "none" : recompute;
  options.training.recompute =
      static_cast<Recompute>(parse_word("--recompute", options.recompute, kRecompute));
  options.training.limits_memory = !memory.empty() && parse_word("--memory", memory, kMemory) == 1;
  if (!options.training.limits_memory) return;
  refuse_beside("--memory limited, by roofline", memory, "--compute-rate", compute_rate);
  refuse_beside("--memory limited, by roofline", memory, "--fit", fit);
}

void TrainStrings::check_optimizer(TrainOptions& options) const {
  options.optimizer = optimizer.empty() ? "none" : optimizer;
  options.training.optimizer =
      static_cast<Optimizer>(parse_word("--optimizer", options.optimizer, kOptimizers));
}

TrainOptions::Source TrainStrings::source() const {
  using Source = TrainOptions::Source;
  if (trace.empty()) refuse_given("--comm-groups", comm_groups, " without --trace");
  refuse_beside("--export-et", export_et, "--trace", trace);
  refuse_beside("--trace", trace, "--workload", workload);
  if (!trace.empty()) return Source::kTraces;
  if (workload.empty() || is_built_in_model(workload)) return Source::kBuiltIn;
  const std::string path = workload_path(workload);
  if (path.empty()) refuse_workload(workload);
  return path.ends_with(".txt") ? Source::kText : Source::kModelFile;
}

// Options that are for models of ours alone.
void TrainStrings::refuse_what_the_files_say(TrainOptions::Source source) const {
  const bool is_text = source == TrainOptions::Source::kText;
  std::vector<std::pair<std::string_view, const std::string*>> refused{
      {"--dp", &dp},
      {"--pp", &pp},
      {"--cp", &cp},
      {"--placement", &placement},
      {"--minibatch", &minibatch},
      {"--samples", &samples},
      {"--microbatches", &microbatches},
      {"--accounting", &accounting},
      {"--gradients", &gradients},
      {"--compress", &compress},
      {"--optimizer", &optimizer},
      {"--recompute", &recompute},
      {"--memory", &memory},
      {"--execution", &execution},
      {"--stream", &stream},
      {"--stream-layers", &stream_layers},
      {"--stream-groups", &stream_groups},
      {"--phase", &phase},
      {"--batch", &batch},
      {"--context", &context},
      {"--overlap", &overlap}};
  if (!is_text) refused.insert(refused.end(), {{"--mp", &mp}, {"--iterations", &iterations}});
  const auto of_experts = experts.all();
  refused.insert(refused.end(), of_experts.begin(), of_experts.end());
  for (const auto& [option, text] : refused)
    refuse_given(option, *text,
                 is_text ? "; text workloads say what is done" : "; traces say what is done");
  if (sp)
    throw BadInput(fmt::format("--sp: found together with {}, which say what is done",
                               is_text ? "a text workload" : "traces"));
}

void TrainStrings::check_phase(TrainOptions& options) const {
  constexpr std::uint64_t kMaxTokens = 1 << 24;
  InferenceOptions inference;
  inference.phase = static_cast<InferencePhase>(parse_word("--phase", phase, kPhases));
  for (const auto& [option, text] :
       {std::pair("--minibatch", &minibatch), std::pair("--samples", &samples),
        std::pair("--accounting", &accounting), std::pair("--gradients", &gradients),
        std::pair("--compress", &compress), std::pair("--optimizer", &optimizer),
        std::pair("--recompute", &recompute), std::pair("--memory", &memory),
        std::pair("--execution", &execution), std::pair("--stream", &stream),
        std::pair("--stream-layers", &stream_layers), std::pair("--stream-groups", &stream_groups),
        std::pair("--compute-rate", &compute_rate), std::pair("--fit", &fit)})
    refuse_beside(option, *text, "--phase", phase);
  inference.strategy = options.training.strategy;
  const auto stages = static_cast<std::uint64_t>(inference.strategy.pp);
  inference.split = options.split;
  const auto replicas = static_cast<std::uint64_t>(inference.strategy.dp / options.split.cp);
  if (!overlap.empty())
    inference.overlap = 1 + static_cast<int>(parse_word("--overlap", overlap, kOverlaps));
  inference.microbatches = microbatches.empty()
                               ? stages * static_cast<std::uint64_t>(inference.overlap)
                               : parse_number(microbatches, "--microbatches", 1, kMaxSamples);
  inference.batch = batch.empty() ? replicas * inference.microbatches
                                  : parse_number(batch, "--batch", 1, kMaxSamples);
  constexpr std::uint64_t kContext = 2048;
  inference.context =
      context.empty() ? kContext : parse_number(context, "--context", 1, kMaxTokens);
  if (iterations.empty() && inference.phase == InferencePhase::kPrefill)
    options.training.iterations = 1;
  inference.steps = options.training.iterations;
  inference.algorithm = options.training.algorithm;
  options.training.microbatches = inference.microbatches;
  options.inference = inference;
}

void TrainStrings::check_strategy(TrainOptions& options) const {
  Strategy& strategy = options.training.strategy;
  for (const auto& [option, text, size] :
       {std::tuple("--mp", &mp, &strategy.mp), std::tuple("--dp", &dp, &strategy.dp),
        std::tuple("--pp", &pp, &strategy.pp), std::tuple("--cp", &cp, &options.split.cp)})
    if (!text->empty()) *size = static_cast<int>(parse_number(*text, option, 1, 1 << 16));
  if (std::int64_t{strategy.mp} * strategy.pp * strategy.dp > kMaxWorkers / options.split.cp)
    throw BadInput(fmt::format("--mp, --dp, --pp: found more than {} workers", kMaxWorkers));
  strategy.dp *= options.split.cp;
  options.split.sp = sp;
  if (!placement.empty() && placement != "auto") options.placement = parse_placement(placement);
}

void TrainStrings::check_model_options(TrainOptions& options) const {
  check_strategy(options);
  options.experts = experts.checked();
  if (!phase.empty()) return check_phase(options);
  refuse_given("--batch", batch, " without --phase");
  refuse_given("--context", context, " without --phase");
  refuse_given("--overlap", overlap, " without --phase");
  check_samples(options);
  check_gradients(options);
  check_memory(options);
  check_execution(options);
}

TrainOptions TrainStrings::checked(const std::vector<std::string>& machines) const {
  using Source = TrainOptions::Source;
  TrainOptions options;
  options.source = source();
  options.workload = options.source == Source::kTraces    ? trace_prefix(trace)
                     : workload.empty()                   ? "resnet152"
                     : options.source == Source::kBuiltIn ? workload
                                                          : workload_path(workload);
  options.comm_groups = comm_groups;
  if (options.source == Source::kTraces && comm_groups.empty())
    options.comm_groups = groups_beside(options.workload);
  options.export_prefix = export_et;
  options.names_algorithm = !algorithm.empty();
  if (!iterations.empty())
    options.training.iterations =
        static_cast<int>(parse_number(iterations, "--iterations", 1, kMaxIterations));
  if (options.source == Source::kTraces) options.training.iterations = 1;
  const bool is_model = options.source == Source::kBuiltIn || options.source == Source::kModelFile;
  options.training.algorithm = algorithm.empty() ? "auto" : algorithm;
  if (is_model) {
    check_model_options(options);
  } else {
    refuse_what_the_files_say(options.source);
    if (!mp.empty()) options.text_mp = static_cast<int>(parse_number(mp, "--mp", 1, 1 << 16));
  }
  options.on_conflict = parse_on_conflict(on_conflict);
  options.packet_order = parse_packet_order(packet_order);
  options.chunking = chunking.checked();
  options.best_base = best_base;
  check_rate(options, machines);
  return options;
}

}  // namespace fredsim
