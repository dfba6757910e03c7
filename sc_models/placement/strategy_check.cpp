// SPDX-License-Identifier: Apache-2.0
#include "placement/strategy_check.h"

#include <array>
#include <utility>

#include "collective/algorithm.h"
#include "systems/make_plan.h"

namespace fredsim {
namespace {

StrategyCheck check(const Topology& topology, const Strategy& strategy, Dimension dimension,
                    const std::vector<int>& placement) {
  StrategyCheck result{strategy, dimension, {}, {}, {}};
  std::vector<CollectiveSpec> work;
  for (const std::vector<int>& group : groups_of(strategy, dimension)) {
    result.groups.push_back(placed(group, placement));
    CollectiveSpec& spec = work.emplace_back();
    spec.collective = collective_of(dimension);
    spec.group = result.groups.back();
    spec.bytes = kFlitBytes;  // one flit: one slice
    spec.algorithm = switch_algorithm(spec.collective)->name();
    spec.vc = vc_of(dimension);
  }
  if (work.empty()) return result;
  try {
    make_plan(topology, work, OnConflict::kRefuse);
  } catch (const GroupConflict& conflict) {
    result.obstacle = conflict.obstacle();
    result.culprits = conflict.parts();
  }
  return result;
}

}  // namespace

std::vector<StrategyCheck> check_strategies(const Topology& topology,
                                            std::span<const Strategy> strategies,
                                            const PlacementRule& placement,
                                            const std::atomic<bool>* stop, int* done) {
  std::vector<StrategyCheck> checks;
  for (const Strategy& strategy : strategies) {
    if (stop != nullptr && *stop) break;
    const std::vector<int> npus = placement(strategy);
    for (const Dimension dimension : std::array{Dimension::kMp, Dimension::kDp, Dimension::kPp}) {
      StrategyCheck one = check(topology, strategy, dimension, npus);
      if (!one.groups.empty()) checks.push_back(std::move(one));
    }
    if (done != nullptr) ++*done;
  }
  return checks;
}

}  // namespace fredsim
