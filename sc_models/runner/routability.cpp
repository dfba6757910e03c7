// SPDX-License-Identifier: Apache-2.0
#include "runner/routability.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/error.h"
#include "routing/conflict_count.h"
#include "runner/interrupt.h"
#include "runner/machines.h"
#include "topology/facts.h"

namespace fredsim {
namespace {

// Checks that a file places every worker of the largest strategy; smaller strategies use the first
// ones.
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

}  // namespace

FoundStrategies find_strategies(const StrategiesRequest& request) {
  FoundStrategies found;
  StrategyReport& report = found.report;
  report.config = request.machines.front().path;
  report.placement = request.placement.name();
  const MachineConfig own = load_machines(request, request.quiet).front();
  report.settings = own.settings;
  if (!own.topology.in_switch) {
    throw BadInput(
        fmt::format("{}: {} has no in-switch collectives; allowed: a machine of type "
                    "fred_tree with fabric.in_switch: true",
                    own.path, own.topology.name));
  }
  if (request.middles.empty()) check_all(own, request.placement, report);
  for (const int middle : request.middles) {
    MachineOptions other = request;
    other.machines.front().settings.push_back(fmt::format("fabric.middle={}", middle));
    check_all(load_machines(other, request.quiet).front(), request.placement, report);
  }
  for (const StrategyRun& run : report.runs) found.done += static_cast<std::size_t>(run.done);
  found.asked = std::max<std::size_t>(request.middles.size(), 1) *
                static_cast<std::size_t>(report.strategies);
  return found;
}

FoundConflicts find_conflicts(const ConflictsRequest& request) {
  FoundConflicts found{.setup = {.kind = std::string(to_string(request.kind)),
                                 .ports = request.ports,
                                 .trials = request.trials,
                                 .seed = request.seed},
                       .points = {},
                       .asked = request.flow_counts.size() * request.trials};
  for (const int flows : request.flow_counts) {
    const ConflictCounts counts = count_conflicts({.kind = request.kind,
                                                   .ports = request.ports,
                                                   .flows = flows,
                                                   .trials = request.trials,
                                                   .seed = request.seed},
                                                  request.middles, interrupt_flag());
    found.done += counts.trials;
    if (counts.trials == 0) break;
    for (std::size_t i = 0; i < request.middles.size(); ++i)
      found.points.push_back({.flows = flows,
                              .middle = request.middles[i],
                              .conflicts = counts.conflicts[i],
                              .trials = counts.trials});
  }
  return found;
}

}  // namespace fredsim
