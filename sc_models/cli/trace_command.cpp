// SPDX-License-Identifier: Apache-2.0
// `fredsim trace`: execution traces of profiles; no machine, no simulation.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "cli/add_option.h"
#include "cli/command.h"
#include "cli/trace_action.h"
#include "runner/interrupt.h"
#include "runner/option_values.h"

namespace fredsim {
namespace {

class TraceCommand final : public Command {
 public:
  void add_to(CLI::App& app) override {
    static constexpr auto kRows = rows::under(
        headings::kWork,
        rows::text<&TraceOptions::action>(
            "ACTION", "",
            "convert: profiles of PyTorch become execution traces for train --trace; info: what "
            "traces are made of; diff: what differs between two; show: pictures of them; learn: a "
            "model of traces; synthesize: traces drawn from a model",
            {.offer = kActions, .least = 1}),
        rows::text<&TraceOptions::files>(
            "FILE", "",
            "convert: a profile per rank (.json or .json.gz of torch.profiler); learn: a prefix of "
            "traces per job; synthesize: a model; others: execution traces (.et, .json, .jsonl, "
            "also with .gz). %d in a name stands for 0, 1, 2, …",
            {.least = 1, .most = kAnyNumber}),
        rows::text<&TraceOptions::hosts>("--host", "FILE",
                                         "convert: an execution trace of PyTorch's host, one "
                                         "--host for each profile, for sizes that a profile "
                                         "lacks",
                                         {.most = kAnyNumber}),
        rows::text<&TraceOptions::steps>(
            "--step", "N", "convert: a step, or FIRST..LAST (default: the last whole one)"),
        rows::number<&TraceOptions::ranks>("--ranks", "N",
                                           "convert: ranks of the job, all of which run the trace "
                                           "of one (--like); synthesize: ranks of the job",
                                           {.max = 1 << 16}),
        rows::text<&TraceOptions::like>(
            "--like", "RANK",
            "convert: the rank that stands for all, its groups shifted by start and stride "
            "(default with --ranks: 0)"),
        rows::text<&TraceOptions::resized>(
            "--resize", "GROUP=N",
            "convert: gives a process group N ranks; the job's ranks and groups multiply",
            {.most = kAnyNumber}),
        rows::flag<&TraceOptions::gpu_only>("--gpu-only",
                                            "convert: leaves the time of CPU threads out"),
        rows::flag<&TraceOptions::unknown_is_compute>(
            "--unknown-compute", "convert: unknown collectives become computations"),
        rows::text<&TraceOptions::to>(
            "--to", "FORMAT",
            "convert: FILE are execution traces, which become, without loss: json, a list of "
            "messages; jsonl, a message in each line; et, protobuf (default with --from)",
            {.offer = kFormats}),
        rows::text<&TraceOptions::from>(
            "--from", "FORMAT|NODE",
            "convert: FILE are execution traces, of this format. show --graph: nodes around this "
            "one alone, an id, a name or 'NAME [2]', the third of the name"),
        rows::number<&TraceOptions::depth>(
            "--depth", "N",
            "show --graph: with --from: as many dependencies away from it, in either direction "
            "(default 3)",
            {.initial = "3",
             .min = 0,
             .max = 1'000'000,
             .needs = "--from",
             .allowed = "together with --from"}));
    static constexpr auto kSynthesis = rows::under(
        headings::kWork,
        rows::number<&TraceOptions::seed>("--seed", "S", "synthesize: equal seeds, equal traces",
                                          {.min = 0}),
        rows::text<&TraceOptions::scale>(
            "--scale", "TEXT",
            "synthesize: more than was learned, such as layers=2,bytes=4,compute=0.5,ranks=8"));
    static constexpr auto kOut = rows::under(
        headings::kOutput,
        rows::text<&TraceOptions::out>("--out", "PREFIX",
                                       "convert: writes PREFIX.RANK.et and PREFIX.groups.json, all "
                                       "or none; of execution traces PREFIX.RANK.FORMAT; learn: "
                                       "the file of the model; synthesize: as convert"),
        rows::text<&TraceOptions::timeline_file>(
            "--timeline", "FILE",
            "show: operations in time for Perfetto, a track per stream and thread, "
            "arrows along dependencies; JSON, or protobuf for a .pftrace file"),
        rows::text<&TraceOptions::graph_file>(
            "--graph", "FILE",
            "show: nodes and dependencies as .dot, as .svg drawn by Graphviz, or as "
            ".graphml"),
        rows::text<&TraceOptions::page_file>(
            "--page", "FILE.html",
            "show: a page for a browser, as of report: operations by stream and thread, "
            "with --simulated beside the simulated ones"),
        rows::text<&TraceOptions::simulated_file>(
            "--simulated", "FILE.json",
            "with --page: the timeline that train --trace of these traces wrote",
            {.needs = "--page", .allowed = "together with --page"}));
    options_.add(app, request_, kRows, kSynthesis, kOut);
    options_.add(app, request_, kJsonRows, kTableRows);
  }

  void check() override {
    options_.read();
    const std::span<const TraceAction> actions = trace_actions();
    const auto action = std::ranges::find(actions, request_.action, &TraceAction::name);
    if (action == actions.end()) {
      std::vector<std::string_view> names;
      for (const TraceAction& known : actions) names.push_back(known.name);
      refuse_word("ACTION", request_.action, names);
    }
    action_ = &*action;
    for (const TraceAction& other : actions)
      for (const std::string_view option : other.options)
        if (options_.texts.has(std::string(option)) && !takes(*action_, option)) {
          std::vector<std::string_view> takers;
          for (const TraceAction& action : actions)
            if (takes(action, option)) takers.push_back(action.name);
          throw BadInput(fmt::format("{}: found with {}; allowed: with {}", option, action_->name,
                                     fmt::join(takers, ", ")));
        }
    if (action_->check != nullptr) action_->check(request_);
  }

  FileUses files() const override {
    FileUses files;
    for (const std::string& path : request_.files) files.inputs.push_back({"FILE", path});
    add_output("--json", request_.json_file, files);
    add_output("--timeline", request_.timeline_file, files);
    add_output("--graph", request_.graph_file, files);
    add_output("--page", request_.page_file, files);
    if (!request_.simulated_file.empty())
      files.inputs.push_back({"--simulated", request_.simulated_file});
    return files;
  }

  void run(const Invocation& invocation) override {
    interrupt_flag();
    request_.command_line = invocation.command_line;
    action_->run(request_);
  }

 private:
  static constexpr std::string_view kActions = "convert info diff show learn synthesize";
  static constexpr std::string_view kFormats = "et json jsonl";

  static bool takes(const TraceAction& action, std::string_view option) {
    return std::ranges::find(action.options, option) != action.options.end();
  }

  OptionSet options_;
  TraceOptions request_;
  const TraceAction* action_ = nullptr;
};

}  // namespace

std::span<const TraceAction> trace_actions() {
  static const std::vector<TraceAction> kAll{trace_convert_action(), trace_info_action(),
                                             trace_diff_action(),    trace_show_action(),
                                             trace_learn_action(),   trace_synthesize_action()};
  return kAll;
}

CommandRow trace_row() {
  return {.name = "trace",
          .purpose = "Traces from profiles of PyTorch: what they have, differences, pictures.",
          .aliases = "kineto profile chakra",
          .main_options = "--host --out --step --timeline --graph --page --json",
          .examples =
              "  fredsim trace convert configs/profiles/step_%d.json --out step\n"
              "  fredsim trace info step.%d.et\n"
              "  fredsim trace diff step.0.et step.0.et\n"
              "  fredsim trace show step.%d.et --timeline step.json",
          .make = []() -> std::unique_ptr<Command> { return std::make_unique<TraceCommand>(); }};
}

}  // namespace fredsim
