// SPDX-License-Identifier: Apache-2.0
// `fredsim info`: structure that a machine file builds; no simulation.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/flit.h"
#include "base/units.h"
#include "cli/add_option.h"
#include "cli/command.h"
#include "config/describe.h"
#include "config/machine_path.h"
#include "report/output_file.h"
#include "report/rank_table.h"
#include "report/terminal.h"
#include "results/version.h"
#include "runner/machines.h"
#include "runner/plan_options.h"
#include "topology/graphviz.h"

namespace fredsim {

namespace {

// --ranks and its related options, --parts and --dot.
struct RankOptions {
  bool lists_parts = false;
  std::string dot_file{};
  int ranks = 0;  // 0: not requested
  SwitchModel model = SwitchModel::kTlm;
  int lanes = 1;
};
constexpr auto kInfoRows = rows::under(
    headings::kMachine,
    rows::flag<&RankOptions::lists_parts>("--parts",
                                          "only the names of what --fault can take, one a line"),
    rows::text<&RankOptions::dot_file>(
        "--dot", "FILE",
        "nodes and links as a graph of Graphviz, in place of what is printed; - is standard "
        "output"),
    rows::number<&RankOptions::ranks>(
        "--ranks", "K",
        "the machine in K parts for as many processes: cost, links that cross, and the speed-up "
        "that a model predicts for K, 16 and 256; nothing else",
        {.max = 65'536}),
    rows::parsed<parse_model, &RankOptions::model>(
        "--model", "NAME",
        "with --ranks: implementation of the switches, tlm (default), rtl or lockstep",
        {.offer = "tlm rtl lockstep"}),
    rows::number<&RankOptions::lanes>(
        "--lanes", "N", "with --ranks: FP16 lanes of each flit carried, 1 to 256 (default 1)",
        {.max = kFlitLanes}));

class InfoCommand final : public Command {
 public:
  void add_to(CLI::App& app) override {
    options_.add(app, machines_, kMachineRows, kOverrideRows);
    const auto print_machines = [] {
      for (const std::string& name : machine_names(machine_folder())) fmt::print("{}\n", name);
      throw CLI::Success();  // without a CONFIG, too
    };
    app.add_flag_callback(
           "--machines", print_machines,
           "only the names of the machine files that come with the program, without a CONFIG")
        ->trigger_on_parse();
    options_.add(app, rank_options_, kInfoRows);
    options_.add(app, plan_, kPlanRows);
    options_.add(app, output_, kJsonRows, kTableRows);
  }

  void check() override {
    const OptionTexts& texts = options_.texts;
    if (!texts.has("--ranks")) refuse_without_ranks(texts);
    options_.read();
    if (!plan_.file.empty() && (rank_options_.ranks > 0 || rank_options_.lists_parts))
      throw BadInput("--plan: found beside --ranks or --parts; allowed: one of them");
    if (rank_options_.ranks > 0 && rank_options_.lists_parts)
      throw BadInput("--parts: found --ranks beside it; allowed: one of the two");
    if (rank_options_.dot_file.empty()) return;
    if (rank_options_.ranks > 0 || rank_options_.lists_parts)
      throw BadInput("--dot: found --ranks or --parts beside it; allowed: one of them");
  }

  FileUses files() const override {
    FileUses files;
    add_machine_files(machines_, files);
    add_output("--json", output_.json_file, files);
    if (!rank_options_.dot_file.empty()) add_output("--dot", rank_options_.dot_file, files);
    add_output("--plan", plan_.file, files);
    return files;
  }

  void run(const Invocation& invocation) override {
    if (rank_options_.ranks > 0) return run_ranks(invocation);
    if (!rank_options_.dot_file.empty()) return write_dot();
    if (!plan_.file.empty()) return write_plan();
    for (const MachineConfig& machine : load_machines(machines_, false)) {
      fmt::print("{}", rank_options_.lists_parts
                           ? describe_parts(machine.topology)
                           : describe(machine.topology, terminal_style(stdout).columns));
    }
  }

 private:
  static void refuse_without_ranks(const OptionTexts& texts) {
    if (texts.has("--format")) format_of(texts["--format"]);  // checks the format
    for (const char* option : {"--model", "--lanes", "--json", "--format"})
      if (texts.has(option) && texts[option] != "table")
        throw BadInput(fmt::format("{}: found {} without --ranks; allowed: with --ranks", option,
                                   texts[option]));
  }

  void write_dot() const {
    const OutputFile file(rank_options_.dot_file, "--dot");
    const std::vector<MachineConfig> machines = load_machines(machines_, false);
    if (machines.size() != 1)
      throw BadInput(fmt::format("--dot: found {} machines; allowed: one", machines.size()));
    file.write(graphviz(machines.front().topology));
  }

  void write_plan() const {
    const std::optional<OutputFile> file = open_output("--plan", plan_.file);
    file->write(plan_text(std::move(load_machines(machines_, true).front()).topology, plan_));
  }

  void run_ranks(const Invocation& invocation) const {
    const std::optional<OutputFile> json = open_output("--json", output_.json_file);
    const MachineConfig machine = std::move(load_machines(machines_, false).front());
    check_runs_exactly(machine);
    const RankSetup setup{.config = machine.path,
                          .settings = machine.settings,
                          .machine = machine.keys,
                          .fabric = machine.topology.name,
                          .model = std::string(switch_model_name(rank_options_.model)),
                          .lanes = rank_options_.lanes};
    std::vector<RankForecast> forecasts;
    try {
      forecasts = rank_forecasts(machine.topology, rank_options_.ranks, rank_options_.model,
                                 rank_options_.lanes, setup.exchange);
    } catch (const BadInput& error) {
      throw BadInput(fmt::format("--ranks: {}", error.what()));
    }
    if (!json || !json->is_stdout()) {
      TableOutput output = table_output(output_);
      fmt::print("{}", output.table(rank_part_table(setup, forecasts.front())));
      fmt::print("{}", output.table(rank_forecast_table(forecasts)));
      fmt::print("{}", output.legend(rank_legend(setup)));
    }
    if (json) json->write(ranks_json(origin_of(invocation.command_line), setup, forecasts));
  }

  OptionSet options_;
  MachineOptions machines_;
  OutputOptions output_;
  RankOptions rank_options_;
  PlanOptions plan_;
};

}  // namespace

CommandRow info_row() {
  return {.name = "info",
          .purpose = "Prints what a machine file builds.",
          .aliases = "show describe print list ls machines stats",
          .main_options =
              "--set --fault --machines --parts --dot --ranks --model --lanes "
              "--plan --collective --algorithm --json --format",
          .examples =
              "  fredsim info fred_d\n"
              "  fredsim info fred_d --set fabric.middle=2\n"
              "  fredsim info fred_d --dot fred_d.dot\n"
              "  fredsim info fred_d --ranks 2 --model rtl --lanes 256\n"
              "  fredsim info mesh_2x2 --plan - --collective all_gather --algorithm ring",
          .make = []() -> std::unique_ptr<Command> { return std::make_unique<InfoCommand>(); }};
}

}  // namespace fredsim
