#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <utility>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/strategy_report.h"
#include "report/output_file.h"
#include "results/version.h"

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
  report.complete = topology.fred.depth() <= 2;
  report.npus = static_cast<int>(topology.npus.size());
  report.strategies = static_cast<int>(strategies.size());
  StrategyRun run{.middle = topology.fred.middle, .machine = machine.keys, .checks = {}, .done = 0};
  run.checks = check_strategies(
      topology, strategies,
      [&](const Strategy& strategy) { return npus_of(placement, strategy, topology); },
      &interrupt_flag(), &run.done);
  if (run.done > 0) report.runs.push_back(std::move(run));
}

// The lines of all strategies need another header than the summary: CSV has either.
void print(const Options& options, const StrategyReport& report) {
  const TerminalStyle style = terminal_style(stdout);
  TableOutput output(options.format, style);
  const bool is_csv = options.format == TableFormat::kCsv;
  if (options.strategies.all && is_csv) {
    fmt::print("{}", output.table(strategy_rows(report)));
    return;
  }
  if (options.strategies.all) {
    const bool is_text = options.format == TableFormat::kTable;
    for (const TitledTable& table : strategy_lines(report, is_text ? style.columns : kAnyWidth))
      fmt::print("{}", output.table(table));
  }
  fmt::print("{}", output.table(strategy_summary(report)));
  const std::string failures = strategy_failures(report);
  if (!failures.empty()) fmt::print("{}", output.block(failures));
  if (!options.quiet) {
    fmt::print("{}", output.legend(strategy_legend(report)));
  }
}

}  // namespace

void strategies_command(const Options& options) {
  interrupt_flag();
  std::optional<OutputFile> json;
  if (!options.json_file.empty()) json.emplace(options.json_file, "--json", &interrupt_flag());
  const StrategyOptions& asked = options.strategies;
  StrategyReport report;
  report.config = options.machines.front().path;
  report.placement = asked.placement.name();
  const MachineConfig own = load_machines(options).front();
  report.settings = own.settings;
  if (own.topology.kind != FabricKind::kFredTree || !own.topology.fred.in_switch) {
    throw BadInput(
        fmt::format("{}: {} has no in-switch collectives; allowed: a machine of type "
                    "fred_tree with fabric.in_switch: true",
                    own.path, own.topology.name));
  }
  if (asked.middles.empty()) check_all(own, asked.placement, report);
  for (const int middle : asked.middles) {
    Options other = options;
    other.machines.front().settings.push_back(fmt::format("fabric.middle={}", middle));
    check_all(load_machines(other).front(), asked.placement, report);
  }
  const bool is_some = !report.runs.empty();
  if (is_some && (!json || !json->is_stdout())) print(options, report);
  if (json && is_some) json->write(strategy_json(origin_of(options.command_line), report));
  int done = 0;
  for (const StrategyRun& run : report.runs) done += run.done;
  const std::size_t all =
      std::max<std::size_t>(asked.middles.size(), 1) * static_cast<std::size_t>(report.strategies);
  if (static_cast<std::size_t>(done) < all)
    throw Interrupted(fmt::format("interrupted: {} of {} strategies checked", done, all));
}

}  // namespace fredsim
