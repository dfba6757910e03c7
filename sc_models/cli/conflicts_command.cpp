// SPDX-License-Identifier: Apache-2.0
// `fredsim conflicts`: random sets of flows through one switch; no machine file, no simulation.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <variant>

#include "cli/add_option.h"
#include "cli/command.h"
#include "cli/command_answer.h"
#include "report/conflict_table.h"
#include "report/output_file.h"
#include "results/version.h"
#include "runner/run.h"

namespace fredsim {

namespace {

class ConflictsCommand final : public Command {
 public:
  void add_to(CLI::App& app) override {
    options_.add(app, request_, kConflictRows,
                 seed_rows<&ConflictsRequest::seed>("seed of the random sets (default 1)"));
    options_.add(app, request_, kJsonRows, kTableRows, kQuietRows);
    app.footer(
        "A set is K flows whose input sides are disjoint and whose output sides are disjoint:\n"
        "  unicast     one input, one output\n"
        "  multicast   one input, two or more outputs\n"
        "  reduce      two or more inputs, one output\n"
        "  all_reduce  two or more ports, the same on both sides\n"
        "  any         one or more inputs, one or more outputs, drawn independently\n"
        "Sizes first: all size vectors that fit on the P ports are equally likely. Then ports: all "
        "choices of ports for these sizes are equally likely. Every m is put to the same sets.\n"
        "Conflict: no routing exists in which every flow has one colour per level.");
  }

  void check() override {
    options_.read();
    request_.flow_counts = parse_numbers(options_.texts["--flows"], "--flows", 1,
                                         max_flows(request_.kind, request_.ports));
  }

  FileUses files() const override {
    FileUses files;
    add_output("--json", request_.json_file, files);
    return files;
  }

  std::optional<Question> question() const override { return request_; }

  void run(const Invocation& invocation) override {
    RunObserver nobody;
    answer_command(request_, invocation, nobody, [&](const Results& answer) {
      const auto& found = std::get<FoundConflicts>(answer);
      if (found.points.empty() || request_.json_file == "-") return;
      TableOutput output = table_output(request_);
      fmt::print("{}", output.table(conflict_table(found.setup, found.points)));
      fmt::print("{}", output.legend(kConflictLegend));
    });
  }

 private:
  OptionSet options_;
  ConflictsRequest request_;
};

}  // namespace

CommandRow conflicts_row() {
  return {
      .name = "conflicts",
      .purpose = "How often random flows have no routing through one Fred switch.",
      .aliases = "conflict",
      .examples = "  fredsim conflicts --ports 12 --middle 2,3 --flows 2:6 --kind all_reduce",
      .make = []() -> std::unique_ptr<Command> { return std::make_unique<ConflictsCommand>(); }};
}

}  // namespace fredsim
