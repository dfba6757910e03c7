// SPDX-License-Identifier: Apache-2.0
// Check that the in-switch phases of 3D parallelism have a routing: the paper places the workers of
// an MP group next to each other, then PP, then DP, and asserts that m = 3 then suffices (§5.3).
//
// A check takes all groups of one dimension of a strategy at once, as one phase, and has the
// planner (collective/in_switch_plan.h) choose uplinks and colours for all their flows. The
// planner's search is complete on a two-level tree: groups without a plan cannot be routed by any
// choice of uplinks and colours in which a flow has one colour per level. Only one slice is
// checked, since the slices of a machine are equal.
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
  // Empty: routed. Otherwise the obstacle, and a minimal set of groups in conflict.
  std::optional<Obstacle> obstacle;
  std::vector<int> culprits;
};

// NPUs of a strategy's workers.
using PlacementRule = std::function<std::vector<int>(const Strategy&)>;

// Checks all dimensions that have groups, for each of the strategies; in the order of strategies,
// then mp, dp, pp. Setting `stop` ends the check after the current strategy; `done` receives the
// number of strategies checked. Errors: BadInput where the machine has no in-switch collectives.
std::vector<StrategyCheck> check_strategies(const Topology& topology,
                                            std::span<const Strategy> strategies,
                                            const PlacementRule& placement,
                                            const std::atomic<bool>* stop = nullptr,
                                            int* done = nullptr);

}  // namespace fredsim
