#include <fmt/format.h>

#include <cstdio>
#include <optional>

#include "commands.h"
#include "observe/conflict_table.h"
#include "observe/json.h"
#include "observe/output_file.h"
#include "observe/version.h"
#include "routing/conflict_count.h"

namespace fredsim {

void conflicts_command(const Options& options) {
  std::optional<OutputFile> json;
  if (!options.json_file.empty()) json.emplace(options.json_file, "--json");
  const ConflictOptions& asked = options.conflicts;
  const ConflictSetup setup{.kind = std::string(to_string(asked.kind)),
                            .ports = asked.ports,
                            .trials = asked.trials,
                            .seed = options.seed};
  std::vector<ConflictPoint> points;
  for (const int flows : asked.flow_counts) {
    const std::vector<std::uint64_t> conflicts = count_conflicts({.kind = asked.kind,
                                                                  .ports = asked.ports,
                                                                  .flows = flows,
                                                                  .trials = asked.trials,
                                                                  .seed = options.seed},
                                                                 asked.middles);
    for (std::size_t i = 0; i < conflicts.size(); ++i)
      points.push_back({.flows = flows, .middle = asked.middles[i], .conflicts = conflicts[i]});
  }
  if (!json || !json->is_stdout()) {
    TableOutput output(options.format, terminal_style(stdout));
    fmt::print("{}", output.table(conflict_table(setup, points)));
    if (!options.quiet) fmt::print("{}", output.legend(kConflictLegend));
  }
  if (json) json->write(conflicts_json(origin_of(options.command_line), setup, points));
}

}  // namespace fredsim
