// SPDX-License-Identifier: Apache-2.0
// `fredsim train`: training iterations and inference on one machine, or on several against the
// first.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <variant>

#include "base/error.h"
#include "cli/add_option.h"
#include "cli/command.h"
#include "cli/command_answer.h"
#include "report/fields/training.h"
#include "report/output_file.h"
#include "report/simulated_text.h"
#include "report/training_table.h"
#include "results/version.h"
#include "runner/machines.h"
#include "runner/option_values.h"
#include "runner/program_name.h"
#include "runner/run.h"
#include "runner/run_ranks.h"
#include "runner/trace_output.h"
#include "workload_files/trace_files.h"

namespace fredsim {
namespace {

void add_workload_files(const TrainOptions& train, std::vector<FileUse>& inputs) {
  using Source = TrainOptions::Source;
  if (train.source == Source::kModelFile || train.source == Source::kText)
    inputs.push_back({"--workload", train.workload});
  if (train.source == Source::kTraces)
    for (const std::string& path : possible_trace_files(train.traces))
      inputs.push_back({"--trace", train.workload, path});
  if (!train.comm_groups.empty()) inputs.push_back({"--comm-groups", train.comm_groups});
  if (train.placement && train.placement->kind == Placement::Kind::kFile)
    inputs.push_back({"--placement", train.placement->path});
}

// Output in ASTRA-sim's form for programs that parse it, with a cycle of a nanosecond, plus the
// bytes on links, which ASTRA-sim does not print. Exposed time is all time in which a rank neither
// computes nor uses its memory, bubbles included. With several machines, each line begins with the
// machine's name.
std::string rank_lines(const TrainingResult& result, bool has_name) {
  std::string text;
  if (has_name) text = with_settings(result.run.fabric, result.run.settings.own) + "\n";
  for (std::size_t r = 0; r < result.ranks.size(); ++r) {
    const TrainedRank& rank = result.ranks[r];
    text += fmt::format("sys[{}] finished, {:.0f} cycles, exposed communication {:.0f} cycles.\n",
                        r, rank.end_ns, rank.exposed_ns + rank.bubble_ns);
  }
  std::uint64_t max = 0, all = 0;
  for (const LinkResult& link : result.run.links) {
    max = std::max(max, link.bytes);
    all += link.bytes;
  }
  return text + fmt::format("links: {} bytes, {} on the busiest of {}\n", all, max,
                            result.run.links.size());
}

std::vector<MachineRuns> runs_by_machine(const std::vector<TrainingResult>& results) {
  std::vector<MachineRuns> machines;
  for (const TrainingResult& result : results)
    machines.push_back({with_settings(result.run.fabric, result.run.settings.own) +
                            (result.is_best_base ? " (best)" : ""),
                        {&result.run}});
  return machines;
}

std::vector<TitledList> notes_of(const TrainingJobs& training) {
  std::vector<TitledList> lists;
  std::vector<const MachineConfig*> machines;
  for (const TrainedMachine& entry : training.machines()) {
    lists.push_back({notes_title(entry.config), entry.config.topology.notes});
    machines.push_back(&entry.config);
  }
  // Results stand in the order of their machines; an interrupted run has fewer.
  const std::size_t done = std::min(training.results().size(), training.machines().size());
  for (std::size_t i = 0; i < done; ++i) {
    const TrainingResult& result = training.results()[i];
    if (!result.words.empty() && !result.is_best_base)
      lists.push_back(
          {fmt::format("words of the workload on {}", result.run.fabric), result.words});
  }
  if (TitledList unequal = unequal_parts(machines); !unequal.lines.empty())
    lists.push_back(std::move(unequal));
  return lists;
}

class TrainCommand final : public Command {
 public:
  void add_to(CLI::App& app) override {
    options_.add(app, request_, machines_rows(1));
    options_.add_given(app, kTrainingRows);
    offer(app.get_option("--algorithm"), algorithm_words());
    options_.add(app, request_, kPlacementFileRows<TrainRequest>, kExpertFileRows,
                 kEngineRows<TrainRequest>, kSimulationRows, kSwitchRows, kSkewRows<TrainRequest>,
                 seed_rows<&TrainRequest::seed>(kPayloadSeed), kTrainTimelineRows, kJsonRows,
                 kAstraTableRows, kOverrideRows, kRankRows, kQuietRows, kProgressRows);
  }

  void check() override {
    options_.read();
    check_switches(request_);
    request_.train = train_options(options_.texts, options_.texts.list("CONFIGS"));
    if (request_.is_flow) options_.refuse_with_flows();
    refuse_on_ranks("--engine flow", request_.is_flow);
    using Source = TrainOptions::Source;
    const Source source = request_.train.source;
    if (!request_.placement_file.empty() && source != Source::kBuiltIn &&
        source != Source::kModelFile)
      throw BadInput(
          fmt::format("--write-placement: found '{}'; allowed: with a model, whose workers are "
                      "placed",
                      request_.placement_file));
  }

  FileUses files() const override {
    FileUses files;
    add_machine_files(request_, files);
    add_workload_files(request_.train, files.inputs);
    add_output("--json", request_.json_file, files);
    add_output("--progress", request_.progress_file, files);
    const std::string& traces = request_.train.export_prefix;
    if (!traces.empty()) {
      files.outputs.push_back({"--export-et", groups_file(traces)});
      files.outputs.push_back({"--export-et", trace_file(traces, 0)});
    }
    add_output("--write-placement", request_.placement_file, files);
    add_output("--write-expert-placement", request_.expert_file, files);
    add_expert_files(request_.train.experts, files.inputs);
    add_output("--timeline", request_.timeline_file, files);
    return files;
  }

  std::optional<Question> question() const override { return request_; }

  void run(const Invocation& invocation) override {
    TrainPrinter printer(*this);
    answer_command(request_, invocation, printer);
  }

 private:
  class TrainPrinter final : public RunObserver {
   public:
    explicit TrainPrinter(const TrainCommand& command) : command_(command) {}
    void on_end(const Results& results) override {
      command_.print(*std::get<TrainResults>(results));
    }

   private:
    const TrainCommand& command_;
  };

  void print(const TrainingJobs& training) const {
    const std::vector<TrainingResult>& results = training.results();
    if (request_.json_file == "-" || request_.timeline_file == "-" || results.empty()) return;
    TableOutput output = table_output(request_);
    const TrainedWorkload workload = training.workload();
    const bool is_rows_only =
        request_.format == TableFormat::kCsv || request_.format == TableFormat::kAstra;
    for (const std::string& warning : workload.warnings) {
      if (!is_rows_only)
        fmt::print("{}", output.warning(warning));
      else if (!request_.quiet)
        fmt::print(stderr, "{}: warning: {}\n", program_name(), warning);
    }
    if (request_.format == TableFormat::kAstra) {
      const bool has_names = results.size() > 1;
      for (const TrainingResult& result : results)
        if (!result.run.incomplete) fmt::print("{}", rank_lines(result, has_names));
      return;
    }
    fmt::print("{}", output.table(training_table(training.asked(), workload, results)));
    if (!request_.is_flow) {
      fmt::print("{}", simulated_text(runs_by_machine(results), output));
      fmt::print("{}", lockstep_text(runs_by_machine(results), output));
    }
    if (!request_.quiet) {
      if (const std::string text = idealised_text(workload); !text.empty())
        fmt::print("{}", output.paragraph(text));
      fmt::print("{}", output.lists(notes_of(training)));
    }
    fmt::print("{}", output.legend(training_legend(request_.is_flow)));
  }

  OptionSet options_;
  TrainRequest request_;
};

}  // namespace

CommandRow train_row() {
  return {.name = "train",
          .purpose = "Training iterations of a model on machines against the first.",
          .aliases = "training infer inference llm workload",
          .main_options =
              "--workload --trace --mp --dp --pp --minibatch --phase --placement "
              "--algorithm --accounting --compute-rate --engine --timeline --set --json",
          .examples = "  fredsim train mesh_2x2 fred_2x2 --workload small --mp 2 --dp 2",
          .make = []() -> std::unique_ptr<Command> { return std::make_unique<TrainCommand>(); },
          .runs_on_ranks = true,
          .point_results = &fields::kTrainingDocument};
}

}  // namespace fredsim
