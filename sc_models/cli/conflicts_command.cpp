#include <fmt/format.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <optional>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "report/conflict_table.h"
#include "report/json.h"
#include "report/output_file.h"
#include "results/version.h"
#include "routing/conflict_count.h"

namespace fredsim {

void conflicts_command(const Options& options) {
  const std::atomic<bool>& interrupted = interrupt_flag();
  std::optional<OutputFile> json;
  if (!options.json_file.empty()) json.emplace(options.json_file, "--json", &interrupt_flag());
  const ConflictOptions& asked = options.conflicts;
  const ConflictSetup setup{.kind = std::string(to_string(asked.kind)),
                            .ports = asked.ports,
                            .trials = asked.trials,
                            .seed = options.seed};
  std::vector<ConflictPoint> points;
  std::uint64_t sets = 0;
  for (const int flows : asked.flow_counts) {
    const ConflictCounts counts = count_conflicts({.kind = asked.kind,
                                                   .ports = asked.ports,
                                                   .flows = flows,
                                                   .trials = asked.trials,
                                                   .seed = options.seed},
                                                  asked.middles, interrupted);
    sets += counts.trials;
    if (counts.trials == 0) break;
    for (std::size_t i = 0; i < asked.middles.size(); ++i)
      points.push_back({.flows = flows,
                        .middle = asked.middles[i],
                        .conflicts = counts.conflicts[i],
                        .trials = counts.trials});
  }
  if (!points.empty() && (!json || !json->is_stdout())) {
    TableOutput output(options.format, terminal_style(stdout));
    fmt::print("{}", output.table(conflict_table(setup, points)));
    if (!options.quiet) fmt::print("{}", output.legend(kConflictLegend));
  }
  if (json && !points.empty())
    json->write(conflicts_json(origin_of(options.command_line), setup, points));
  const std::uint64_t asked_sets = asked.flow_counts.size() * asked.trials;
  if (sets < asked_sets)
    throw Interrupted(fmt::format("interrupted: {} of {} sets of flows tried", sets, asked_sets));
}

}  // namespace fredsim
