// SPDX-License-Identifier: Apache-2.0
// Counts what a switch can route: strategies on a machine's switches, and random sets of flows. No
// simulation.
//
// Interrupted (runner/interrupt.h): the results found so far, with `done` below `asked`.
// Errors: BadInput if the machine has no in-switch collectives or the placement does not cover it.
#pragma once

#include <cstddef>
#include <vector>

#include "report/conflict_table.h"
#include "report/strategy_report.h"
#include "runner/question.h"

namespace fredsim {

struct FoundStrategies {
  StrategyReport report;
  std::size_t done = 0, asked = 0;  // strategies, over all m
};
FoundStrategies find_strategies(const StrategiesRequest& request);

struct FoundConflicts {
  ConflictSetup setup;
  std::vector<ConflictPoint> points;
  std::uint64_t done = 0, asked = 0;  // sets of flows
};
FoundConflicts find_conflicts(const ConflictsRequest& request);

}  // namespace fredsim
