// SPDX-License-Identifier: Apache-2.0
#include "runner/train_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/config_tree.h"
#include "base/error.h"
#include "base/suggest.h"
#include "base/units.h"
#include "config/machine_path.h"
#include "config/npu_compute.h"
#include "runner/detail/chunk_options.h"
#include "runner/detail/gradient_options.h"
#include "runner/option_values.h"
#include "runner/trace_output.h"

namespace fredsim {
namespace {

using Q = TrainingQuestion;
using Source = TrainOptions::Source;
using training_rows::kMaxSamples;

constexpr std::uint64_t kSamplesOfReplica = 16;  // §8.2
constexpr double kMaxSpeedup = 1000;
constexpr double kMaxCapacity = 1000;

// Refuses an option that does not apply to this kind of run.
void refuse_given(std::string_view option, const OptionTexts& texts, std::string_view reason) {
  if (texts.has(option))
    throw BadInput(fmt::format("{}: found '{}'{}", option, shown(texts[option]), reason));
}

// Refuses an option that another option replaces.
void refuse_beside(std::string_view option, const OptionTexts& texts, std::string_view other) {
  if (texts.has(other))
    refuse_given(option, texts, fmt::format(" together with {}; allowed: one of them", other));
}

// True for models that do not fit the NPUs (§8.2).
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

// Groups file of traces, as written by --export-et; empty: there is none.
std::string groups_beside(const std::string& prefix) {
  std::error_code error;
  std::string file = groups_file(prefix);
  return std::filesystem::exists(file, error) ? file : "";
}

double parse_capacity(const std::string& text) {
  double factor = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, factor);
  if (error == std::errc() && stop == end && factor > 0 && factor <= kMaxCapacity) return factor;
  throw BadInput(
      fmt::format("--capacity: found '{}'; allowed: a number above 0, {:g} at most, such as 1.25",
                  shown(text), kMaxCapacity));
}

Source source_of(const OptionTexts& texts) {
  if (!texts.has("--trace"))
    for (const char* const option : {"--comm-groups", "--communication", "--dependencies"})
      refuse_given(option, texts, " without --trace");
  refuse_beside("--export-et", texts, "--trace");
  refuse_beside("--trace", texts, "--workload");
  if (texts.has("--trace")) return Source::kTraces;
  const std::string& workload = texts["--workload"];
  if (workload.empty() || is_built_in_model(workload)) return Source::kBuiltIn;
  const std::string path = workload_path(workload);
  if (path.empty()) refuse_workload(workload);
  return path.ends_with(".txt") ? Source::kText : Source::kModelFile;
}

Where kind_of(const TrainOptions& options, const OptionTexts& texts) {
  if (options.source == Source::kText) return Q::kText;
  if (options.source == Source::kTraces) return Q::kTraces;
  if (texts.has("--phase")) return Q::kInference;
  return options.training.execution == Execution::kStreaming ? Q::kStreaming : Q::kStationary;
}

// Refuses options without meaning for this kind of question.
void refuse_elsewhere(Where kind, const OptionTexts& texts) {
  for (const auto& [text, read, stated] : kTrainingRows) {
    if ((text.where & kind) != 0 || !texts.has(text.name)) continue;
    if (kind == Q::kText || kind == Q::kTraces) {
      const bool is_text = kind == Q::kText;
      if (text.value == nullptr)
        throw BadInput(fmt::format("{}: found together with {}, which say what is done", text.name,
                                   is_text ? "a text workload" : "traces"));
      refuse_given(text.name, texts,
                   is_text ? "; text workloads say what is done" : "; traces say what is done");
    }
    if (kind == Q::kInference) refuse_beside(text.name, texts, "--phase");
    if (text.where == Q::kInference) refuse_given(text.name, texts, " without --phase");
    refuse_given(text.name, texts,
                 fmt::format("; allowed: with --execution {}{}{}",
                             kind == Q::kStationary ? "streaming" : "stationary",
                             text.reason.empty() ? "" : ". ", text.reason));
  }
}

void complete_strategy(const OptionTexts& texts, TrainOptions& options) {
  Strategy& strategy = options.training.strategy;
  if (std::int64_t{strategy.mp} * strategy.pp * strategy.dp > kMaxWorkers / options.split.cp)
    throw BadInput(fmt::format("--mp, --dp, --pp: found more than {} workers", kMaxWorkers));
  strategy.dp *= options.split.cp;
  const std::string& placement = texts["--placement"];
  if (!placement.empty() && placement != "auto") options.placement = parse_placement(placement);
}

void complete_experts(const OptionTexts& texts, ExpertOptions& experts) {
  using Placing = ExpertOptions::Placing;
  for (const char* option :
       {"--ep", "--router", "--expert-placement", "--expert-slots", "--capacity"})
    if (texts.has(option) && experts.given.empty())
      experts.given = fmt::format("{}: found '{}'", option, shown(texts[option]));
  if (texts.has("--router")) experts.router = parse_router(texts["--router"], experts.seed);
  if (texts.has("--capacity")) experts.capacity = parse_capacity(texts["--capacity"]);
  const std::string& placement = experts.placement;
  experts.placing = placement == "contiguous" ? Placing::kContiguous
                    : placement == "balanced" ? Placing::kBalanced
                                              : Placing::kFile;
  if (experts.placing != Placing::kFile) return;
  if (texts.has("--expert-slots"))
    throw BadInput(fmt::format(
        "--expert-slots: found '{}' together with --expert-placement {}; allowed: one of them",
        shown(texts["--expert-slots"]), shown(placement)));
  std::error_code error;  // e.g. a name that is too long
  if (!std::filesystem::exists(placement, error))
    throw BadInput(
        fmt::format("--expert-placement: found '{}'; allowed: contiguous, balanced or a file",
                    shown(placement)));
  experts.of_file = read_expert_placement(placement);
}

void complete_inference(const OptionTexts& texts, TrainOptions& options) {
  InferenceOptions& inference = *options.inference;
  inference.strategy = options.training.strategy;
  const auto stages = static_cast<std::uint64_t>(inference.strategy.pp);
  inference.split = options.split;
  const auto replicas = static_cast<std::uint64_t>(inference.strategy.dp / options.split.cp);
  inference.microbatches = texts.has("--microbatches")
                               ? options.training.microbatches
                               : stages * static_cast<std::uint64_t>(inference.overlap);
  if (!texts.has("--batch")) inference.batch = replicas * inference.microbatches;
  constexpr std::uint64_t kContext = 2048;
  if (!texts.has("--context")) inference.context = kContext;
  if (!texts.has("--iterations") && inference.phase == InferencePhase::kPrefill)
    options.training.iterations = 1;
  inference.steps = options.training.iterations;
  inference.algorithm = options.training.algorithm;
  options.training.microbatches = inference.microbatches;
}

void complete_samples(const OptionTexts& texts, TrainOptions& options) {
  TrainingOptions& training = options.training;
  const auto replicas = static_cast<std::uint64_t>(training.strategy.dp / options.split.cp);
  if (!texts.has("--microbatches") && training.strategy.pp > 1)
    training.microbatches = kPipelineMicrobatches;
  refuse_beside("--samples", texts, "--minibatch");
  if (texts.has("--minibatch")) return;
  training.minibatch =
      replicas * (texts.has("--samples")
                      ? parse_number(texts["--samples"], "--samples", 1, kMaxSamples)
                      : kSamplesOfReplica);
}

void complete_gradients(const OptionTexts& texts, TrainOptions& options) {
  TrainingOptions& training = options.training;
  options.gradients =
      parse_gradients(texts.has("--gradients") ? texts["--gradients"] : "bucket=25MB", training);
  const bool feeds = training.gradients->feeds_layers();
  if (!texts.has("--accounting") && feeds) training.accounting = Accounting::kOverlap;
  if (feeds && training.accounting == Accounting::kSerial)
    refuse_given("--accounting", texts,
                 fmt::format(" together with --gradients {}; allowed: overlap", options.gradients));
  if (training.gradients->has_queue())
    refuse_given("--export-et", texts,
                 " together with --gradients priority; allowed: any other. Which collective goes "
                 "first depends on when gradients are there, and traces have one order");
  parse_compression(options.compress, training.compression);
  if (training.every == 1) return;
  if (options.split.cp > 1)
    refuse_given("--cp", texts,
                 fmt::format(" together with --gradients {}; allowed: without every=. Workers of a "
                             "context have parts of the same gradients",
                             options.gradients));
  if (!texts.has("--iterations")) training.iterations = training.every;
  if (training.iterations % training.every != 0)
    throw BadInput(
        fmt::format("--iterations: found {} together with --gradients {}; allowed: a "
                    "multiple of {}, over which times are averaged",
                    training.iterations, options.gradients, training.every));
}

void complete_streaming(const OptionTexts& texts, TrainOptions& options) {
  if (options.kind == Q::kStationary) return;
  refuse_given("--gradients", texts,
               "; allowed: with --execution stationary. Gradients go to the I/O controllers");
  options.gradients = "streamed";
  if (options.training.accounting == Accounting::kSerial)
    refuse_given("--stream-groups", texts, "; allowed: with --accounting overlap");
}

void complete_training(const OptionTexts& texts, TrainOptions& options) {
  complete_samples(texts, options);
  complete_gradients(texts, options);
  if (options.training.limits_memory)
    for (const char* rate : {"--compute-rate", "--fit"})
      if (texts.has(rate))
        throw BadInput(
            fmt::format("--memory limited, by roofline: found '{}' together with {}; allowed: one "
                        "of them",
                        texts["--memory"], rate));
  complete_streaming(texts, options);
}

void complete_rate(const OptionTexts& texts, const std::vector<std::string>& machines,
                   TrainOptions& options) {
  constexpr double kFlopsPerGflop = 1e9;
  const std::string& rate = texts["--compute-rate"];
  if (!rate.empty())
    options.compute_rate =
        kFlopsPerGflop * static_cast<double>(parse_flop_rate(rate, "--compute-rate"));
  if (!texts.has("--fit")) return;
  refuse_beside("--fit", texts, "--compute-rate");
  options.fit = fit_of(texts["--fit"], machines);
}

}  // namespace

TrainOptions train_options(const OptionTexts& texts, const std::vector<std::string>& machines) {
  TrainOptions options;
  options.source = source_of(texts);
  const std::string& workload = texts["--workload"];
  options.traces = trace_name(texts["--trace"]);
  if (texts.has("--dependencies"))
    options.dependencies = static_cast<TraceDependencies>(
        parse_word("--dependencies", texts["--dependencies"], words_in("all data")));
  options.workload = options.source == Source::kTraces    ? options.traces.prefix
                     : workload.empty()                   ? "resnet152"
                     : options.source == Source::kBuiltIn ? workload
                                                          : workload_path(workload);
  options.comm_groups = texts["--comm-groups"];
  if (options.source == Source::kTraces && options.comm_groups.empty())
    options.comm_groups = groups_beside(options.workload);
  if (texts.has("--communication"))
    options.rules.replays_communication = parse_word("--communication", texts["--communication"],
                                                     words_in("simulated recorded")) == 1;
  options.export_prefix = texts["--export-et"];
  options.names_algorithm = texts.has("--algorithm");
  options.training.algorithm = "auto";
  if (options.source == Source::kTraces) options.training.iterations = 1;
  if (streams_by_default(options.workload)) options.training.execution = Execution::kStreaming;
  const auto& execution = row_of(kTrainingRows, "--execution");
  read_rows(std::span(&execution, 1), texts, options);
  options.kind = kind_of(options, texts);
  refuse_elsewhere(options.kind, texts);
  if (!options.is_training()) options.training.execution = Execution::kStationary;
  read_rows(kTrainingRows, texts, options);
  complete_chunking(texts, options.chunking);
  if (options.kind == Q::kText && texts.has("--mp"))
    options.text_mp = std::exchange(options.training.strategy.mp, 1);
  if (options.is_model()) {
    complete_strategy(texts, options);
    complete_experts(texts, options.experts);
    if (options.kind == Q::kInference)
      complete_inference(texts, options);
    else
      complete_training(texts, options);
  }
  complete_rate(texts, machines, options);
  return options;
}

void add_expert_files(const ExpertOptions& options, std::vector<FileUse>& inputs) {
  if (options.router.kind == RouterOptions::Kind::kFile)
    inputs.push_back({"--router", options.router.name});
  if (options.placing == ExpertOptions::Placing::kFile)
    inputs.push_back({"--expert-placement", options.placement});
}

ModelShape model_of(const TrainOptions& options) {
  return options.source == Source::kBuiltIn ? built_in_model(options.workload)
                                            : read_model_file(options.workload);
}

}  // namespace fredsim
