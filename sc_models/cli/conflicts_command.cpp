// SPDX-License-Identifier: Apache-2.0
// `fredsim conflicts`: random sets of flows through one switch; no machine file, no simulation.
#include <fmt/format.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>

#include "base/error.h"
#include "cli/command.h"
#include "cli/option_groups.h"
#include "cli/route_arguments.h"
#include "report/conflict_table.h"
#include "report/json.h"
#include "report/output_file.h"
#include "results/version.h"
#include "routing/conflict_count.h"
#include "runner/interrupt.h"

namespace fredsim {

namespace {

class ConflictsCommand final : public Command {
 public:
  void add_to(CLI::App& app) override {
    strings_.add_to(app);
    seed_strings_.add_to(app, "of the random sets (default 1)");
    output_strings_.add_json_to(app);
    output_strings_.add_format_to(app);
    output_strings_.add_quiet_to(app);
  }

  void check() override {
    output_strings_.check(output_);
    seed_ = seed_strings_.checked();
    asked_ = strings_.checked();
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
                              .seed = seed_};
    std::vector<ConflictPoint> points;
    std::uint64_t sets = 0;
    for (const int flows : asked_.flow_counts) {
      const ConflictCounts counts = count_conflicts({.kind = asked_.kind,
                                                     .ports = asked_.ports,
                                                     .flows = flows,
                                                     .trials = asked_.trials,
                                                     .seed = seed_},
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
  ConflictStrings strings_;
  SeedStrings seed_strings_;
  OutputStrings output_strings_;
  ConflictOptions asked_;
  std::uint64_t seed_ = 1;
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
