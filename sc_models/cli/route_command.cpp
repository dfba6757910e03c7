// SPDX-License-Identifier: Apache-2.0
// `fredsim route`: flows through one switch; no machine file, no simulation.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <optional>

#include "cli/add_option.h"
#include "cli/command.h"
#include "cli/flow_arguments.h"
#include "cli/route_report.h"
#include "report/output_file.h"
#include "report/terminal.h"
#include "results/version.h"
#include "runner/run_options.h"

namespace fredsim {

namespace {

// Routes flows; a conflict names the flows as typed.
FredRoute route_as_typed(const RouteOptions& options) {
  try {
    return route_flows(options.shape, options.flows);
  } catch (const FlowConflict& error) {
    std::vector<std::string> names;
    for (const int f : error.conflict().flows)
      names.push_back(fmt::format("'{}'", options.flow_texts[f]));
    throw RoutingConflict(describe(options.shape, error.conflict(), names));
  }
}

class RouteCommand final : public Command {
 public:
  void add_to(CLI::App& app) override {
    options_.add(app, asked_, kRouteRows);
    options_.add(app, output_, kJsonRows);
  }

  void check() override {
    options_.read();
    asked_.flows = parse_flows(asked_.flow_texts, asked_.shape);
  }

  FileUses files() const override {
    FileUses files;
    add_output("--json", output_.json_file, files);
    return files;
  }

  void run(const Invocation& invocation) override {
    std::optional<OutputFile> json;
    if (!output_.json_file.empty()) json.emplace(output_.json_file, "--json");
    const FredRoute route = route_as_typed(asked_);
    if (!json || !json->is_stdout())
      fmt::print("{}", route_text(asked_, route, terminal_style(stdout).columns));
    if (json) json->write(route_json(origin_of(invocation.command_line), asked_, route));
  }

 private:
  OptionSet options_;
  RouteOptions asked_;
  OutputOptions output_;
};

}  // namespace

CommandRow route_row() {
  return {.name = "route",
          .purpose = "Routes flows through one Fred switch: colours, settings, rows.",
          .aliases = "path routing",
          .examples =
              "  fredsim route --ports 12 --middle 3 0-3:0-3 4-7:4-7 8,9:10\n"
              "  fredsim route --ports 8 --middle 3 0,3:0,3 1,4:1,4 2,5:2,5 6,7:6,7",
          .make = []() -> std::unique_ptr<Command> { return std::make_unique<RouteCommand>(); }};
}

}  // namespace fredsim
