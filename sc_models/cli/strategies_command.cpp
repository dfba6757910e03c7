// SPDX-License-Identifier: Apache-2.0
// `fredsim strategies`: plans the groups of every strategy; no simulation.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <utility>

#include "base/error.h"
#include "cli/add_option.h"
#include "cli/command.h"
#include "cli/strategy_arguments.h"
#include "report/output_file.h"
#include "report/strategy_report.h"
#include "results/version.h"
#include "runner/interrupt.h"
#include "runner/machines.h"
#include "topology/facts.h"

namespace fredsim {

namespace {

// A file must say where every worker of the largest strategy sits; smaller ones take the first.
void check_covers(const Placement& placement, const Topology& topology) {
  if (placement.kind == Placement::Kind::kFile && placement.npus.size() < topology.npus.size()) {
    throw BadInput(fmt::format("{}: found {} NPUs; allowed: all {} of {}", placement.path,
                               placement.npus.size(), topology.npus.size(), topology.name));
  }
}

void check_all(const MachineConfig& machine, const Placement& placement, StrategyReport& report) {
  const Topology& topology = machine.topology;
  check_covers(placement, topology);
  const std::vector<Strategy> strategies = all_strategies(static_cast<int>(topology.npus.size()));
  report.fabric = topology.name;
  report.complete = topology.tree.depth() <= 2;
  report.npus = static_cast<int>(topology.npus.size());
  report.strategies = static_cast<int>(strategies.size());
  StrategyRun run{
      .middle = switch_parameter(topology, "M"), .machine = machine.keys, .checks = {}, .done = 0};
  run.checks = check_strategies(
      topology, strategies,
      [&](const Strategy& strategy) { return npus_of(placement, strategy, topology); },
      &interrupt_flag(), &run.done);
  if (run.done > 0) report.runs.push_back(std::move(run));
}

struct StrategiesRequest : MachineOptions, OutputOptions {
  StrategyOptions strategies;
};

// The lines of all strategies need another header than the summary: CSV has either.
void print(const StrategiesRequest& request, const StrategyReport& report) {
  const TerminalStyle style = terminal_style(stdout);
  TableOutput output(request.format, style, request.has_legend);
  const bool is_csv = request.format == TableFormat::kCsv;
  if (request.strategies.all && is_csv) {
    fmt::print("{}", output.table(strategy_rows(report)));
    return;
  }
  if (request.strategies.all) {
    const bool is_text = request.format == TableFormat::kTable;
    for (const TitledTable& table : strategy_lines(report, is_text ? style.columns : kAnyWidth))
      fmt::print("{}", output.table(table));
  }
  fmt::print("{}", output.table(strategy_summary(report)));
  const std::string failures = strategy_failures(report);
  if (!failures.empty()) fmt::print("{}", output.block(failures));
  fmt::print("{}", output.legend(strategy_legend(report)));
}

class StrategiesCommand final : public Command {
 public:
  void add_to(CLI::App& app) override {
    options_.add(app, request_, kMachineRows);
    options_.add(app, request_.strategies, kStrategyRows);
    options_.add(app, request_, kJsonRows, kTableRows, kOverrideRows, kQuietRows);
  }

  void check() override { options_.read(); }

  FileUses files() const override {
    FileUses files;
    add_machine_files(request_, files);
    const Placement& placement = request_.strategies.placement;
    if (placement.kind == Placement::Kind::kFile)
      files.inputs.push_back({"--placement", placement.path});
    add_output("--json", request_.json_file, files);
    return files;
  }

  void run(const Invocation& invocation) override {
    interrupt_flag();
    const std::optional<OutputFile> json = open_output("--json", request_.json_file);
    const StrategyOptions& asked = request_.strategies;
    StrategyReport report;
    report.config = request_.machines.front().path;
    report.placement = asked.placement.name();
    const MachineConfig own = load_machines(request_, request_.quiet).front();
    report.settings = own.settings;
    if (!own.topology.in_switch) {
      throw BadInput(
          fmt::format("{}: {} has no in-switch collectives; allowed: a machine of type "
                      "fred_tree with fabric.in_switch: true",
                      own.path, own.topology.name));
    }
    if (asked.middles.empty()) check_all(own, asked.placement, report);
    for (const int middle : asked.middles) {
      MachineOptions other = request_;
      other.machines.front().settings.push_back(fmt::format("fabric.middle={}", middle));
      check_all(load_machines(other, request_.quiet).front(), asked.placement, report);
    }
    const bool is_some = !report.runs.empty();
    if (is_some && (!json || !json->is_stdout())) print(request_, report);
    if (json && is_some) json->write(strategy_json(origin_of(invocation.command_line), report));
    int done = 0;
    for (const StrategyRun& run : report.runs) done += run.done;
    const std::size_t all = std::max<std::size_t>(asked.middles.size(), 1) *
                            static_cast<std::size_t>(report.strategies);
    if (static_cast<std::size_t>(done) < all)
      throw Interrupted(fmt::format("interrupted: {} of {} strategies checked", done, all));
  }

 private:
  OptionSet options_;
  StrategiesRequest request_;
};

}  // namespace

CommandRow strategies_row() {
  return {
      .name = "strategies",
      .purpose = "Which MP x DP x PP strategies the switches of a machine can route.",
      .aliases = "strategy parallelism",
      .examples = "  fredsim strategies fred_d --middle 2:4",
      .make = []() -> std::unique_ptr<Command> { return std::make_unique<StrategiesCommand>(); }};
}

}  // namespace fredsim
