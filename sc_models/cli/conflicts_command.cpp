// SPDX-License-Identifier: Apache-2.0
// `fredsim conflicts`: random sets of flows through one switch; no machine file, no simulation.
#include <fmt/format.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>

#include "base/error.h"
#include "cli/add_option.h"
#include "cli/command.h"
#include "cli/route_arguments.h"
#include "report/conflict_table.h"
#include "report/json.h"
#include "report/output_file.h"
#include "results/version.h"
#include "routing/conflict_count.h"
#include "runner/interrupt.h"
#include "runner/run_options.h"

namespace fredsim {

namespace {

class ConflictsCommand final : public Command {
 public:
  void add_to(CLI::App& app) override {
    options_.add(app, asked_, kConflictRows,
                 seed_rows<&ConflictOptions::seed>("of the random sets (default 1)"));
    options_.add(app, output_, kJsonRows, kTableRows, kQuietRows);
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
    asked_.flow_counts = parse_numbers(options_.texts["--flows"], "--flows", 1,
                                       max_flows(asked_.kind, asked_.ports));
  }

  FileUses files() const override {
    FileUses files;
    add_output("--json", output_.json_file, files);
    return files;
  }

  void run(const Invocation& invocation) override {
    const std::atomic<bool>& interrupted = interrupt_flag();
    const std::optional<OutputFile> json = open_output("--json", output_.json_file);
    const ConflictSetup setup{.kind = std::string(to_string(asked_.kind)),
                              .ports = asked_.ports,
                              .trials = asked_.trials,
                              .seed = asked_.seed};
    std::vector<ConflictPoint> points;
    std::uint64_t sets = 0;
    for (const int flows : asked_.flow_counts) {
      const ConflictCounts counts = count_conflicts({.kind = asked_.kind,
                                                     .ports = asked_.ports,
                                                     .flows = flows,
                                                     .trials = asked_.trials,
                                                     .seed = asked_.seed},
                                                    asked_.middles, interrupted);
      sets += counts.trials;
      if (counts.trials == 0) break;
      for (std::size_t i = 0; i < asked_.middles.size(); ++i)
        points.push_back({.flows = flows,
                          .middle = asked_.middles[i],
                          .conflicts = counts.conflicts[i],
                          .trials = counts.trials});
    }
    if (!points.empty() && (!json || !json->is_stdout())) {
      TableOutput output = table_output(output_);
      fmt::print("{}", output.table(conflict_table(setup, points)));
      fmt::print("{}", output.legend(kConflictLegend));
    }
    if (json && !points.empty())
      json->write(conflicts_json(origin_of(invocation.command_line), setup, points));
    const std::uint64_t asked_sets = asked_.flow_counts.size() * asked_.trials;
    if (sets < asked_sets)
      throw Interrupted(fmt::format("interrupted: {} of {} sets of flows tried", sets, asked_sets));
  }

 private:
  OptionSet options_;
  ConflictOptions asked_;
  OutputOptions output_;
};

}  // namespace

CommandRow conflicts_row() {
  return {
      .name = "conflicts",
      .purpose = "How often random sets of flows have no routing through one Fred switch.",
      .aliases = "conflict",
      .examples = "  fredsim conflicts --ports 12 --middle 2,3 --flows 2:6 --kind all_reduce",
      .make = []() -> std::unique_ptr<Command> { return std::make_unique<ConflictsCommand>(); }};
}

}  // namespace fredsim
