#include <fmt/format.h>

#include <cstdio>
#include <optional>

#include "cli/commands.h"
#include "cli/route_report.h"
#include "report/output_file.h"
#include "report/terminal.h"
#include "results/version.h"

namespace fredsim {

namespace {

// A conflict names the flows as they were typed.
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

}  // namespace

void route_command(const Options& options) {
  std::optional<OutputFile> json;
  if (!options.json_file.empty()) json.emplace(options.json_file, "--json");
  const FredRoute route = route_as_typed(options.route);
  if (!json || !json->is_stdout()) {
    fmt::print("{}", route_text(options.route, route, terminal_style(stdout).columns));
  }
  if (json) json->write(route_json(origin_of(options.command_line), options.route, route));
}

}  // namespace fredsim
