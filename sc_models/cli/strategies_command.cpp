// SPDX-License-Identifier: Apache-2.0
// `fredsim strategies`: plans the groups of every strategy; no simulation.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <variant>

#include "cli/add_option.h"
#include "cli/command.h"
#include "cli/command_answer.h"
#include "report/output_file.h"
#include "report/strategy_report.h"
#include "results/version.h"
#include "runner/run.h"

namespace fredsim {

namespace {

// Prints the report; strategies have a different header from the summary, so CSV contains one of
// the two.
void print(const StrategiesRequest& request, const StrategyReport& report) {
  const TerminalStyle style = terminal_style(stdout);
  TableOutput output(request.format, style, request.has_legend);
  const bool is_csv = request.format == TableFormat::kCsv;
  if (request.all && is_csv) {
    fmt::print("{}", output.table(strategy_rows(report)));
    return;
  }
  if (request.all) {
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
    options_.add(app, request_, kMachineRows, kStrategyRows, kJsonRows, kTableRows, kOverrideRows,
                 kQuietRows);
  }

  void check() override { options_.read(); }

  FileUses files() const override {
    FileUses files;
    add_machine_files(request_, files);
    const Placement& placement = request_.placement;
    if (placement.kind == Placement::Kind::kFile)
      files.inputs.push_back({"--placement", placement.path});
    add_output("--json", request_.json_file, files);
    return files;
  }

  std::optional<Question> question() const override { return request_; }

  void run(const Invocation& invocation) override {
    RunObserver nobody;
    answer_command(request_, invocation, nobody, [&](const Results& answer) {
      const StrategyReport& report = std::get<FoundStrategies>(answer).report;
      if (!report.runs.empty() && request_.json_file != "-") print(request_, report);
    });
  }

 private:
  OptionSet options_;
  StrategiesRequest request_;
};

}  // namespace

CommandRow strategies_row() {
  return {
      .name = "strategies",
      .purpose = "MP x DP x PP strategies that a machine's switches can route.",
      .aliases = "strategy parallelism",
      .examples = "  fredsim strategies fred_d --middle 2:4",
      .make = []() -> std::unique_ptr<Command> { return std::make_unique<StrategiesCommand>(); }};
}

}  // namespace fredsim
