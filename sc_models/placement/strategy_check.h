// SPDX-License-Identifier: Apache-2.0
// Check that the in-switch phases of 3D parallelism have a routing: the paper places the workers of
// an MP group next to each other, then PP, then DP, and asserts that m = 3 then suffices (§5.3).
//
// A check takes all groups of one dimension of a strategy at once, as one phase, and asks the
// planner (collective/in_switch_plan.h) for uplinks and colours of all their flows. Its search is
// complete on a two-level tree: what has no plan cannot be routed by any choice of uplinks and
// colours in which a flow has one colour per level. One slice is asked; the slices of a machine are
// equal.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plan/group_conflict.h"
#include "plan/parallelism.h"
#include "topology/topology.h"

namespace fredsim {

struct StrategyCheck {
  Strategy strategy;
  Dimension dimension = Dimension::kMp;
  std::vector<std::vector<int>> groups;  // NPUs
  // None: routed. Else what is in the way, and the groups, none of which can be left out of the
  // conflict.
  std::optional<Obstacle> obstacle;
  std::vector<int> culprits;
};

// The NPUs of the workers.
using PlacementRule = std::function<std::vector<int>(const Strategy&)>;

// Checks the dimensions, of the strategies given, that have groups; by strategy, then mp, dp, pp.
// `stop`, once it is set, ends it after the strategy that is under way; how many that are says
// `done`.
// Errors: BadInput where the machine has no in-switch collectives.
std::vector<StrategyCheck> check_strategies(const Topology& topology,
                                            std::span<const Strategy> strategies,
                                            const PlacementRule& placement,
                                            const std::atomic<bool>* stop = nullptr,
                                            int* done = nullptr);

}  // namespace fredsim
