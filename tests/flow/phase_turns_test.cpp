// SPDX-License-Identifier: Apache-2.0
// Turns of phases in switches: duration of works whose trees share a chiplet and no link.
#include "flow/phase_turns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "config/config.h"
#include "flow/flow_operations.h"
#include "flow/flow_run.h"
#include "systems/make_plan.h"

namespace fredsim::test {
namespace {

constexpr std::uint64_t kBytes = 4 << 20;

CollectiveSpec unicast(std::vector<int> group, int vc = kDp) {
  CollectiveSpec spec;
  spec.collective = Collective::kUnicast;
  spec.group = std::move(group);
  spec.bytes = kBytes;
  spec.vc = vc;
  return spec;
}

Topology fred_d(const std::vector<std::string>& settings = {}) {
  return load_config("configs/fred_d.yaml", settings).topology;
}

FlowTimes times_of(const Topology& topology, const std::vector<CollectiveSpec>& specs) {
  return run_flows(topology, make_plan(topology, specs));
}

// Cycles from the start of the first to the end of the last, each planned by itself.
double operations_end(const Topology& topology, const std::vector<CollectiveSpec>& specs) {
  FlowOperations operations(topology);
  for (const CollectiveSpec& spec : specs)
    operations.issue(prepare(topology, make_plan(topology, {&spec, 1})), {}, {});
  operations.wait_all();
  return static_cast<double>(operations.totals().last_end);
}

// One switch joins all four NPUs; no link is shared.
TEST(PhaseTurns, AVirtualChannelThatGoesFirstTakesTheSwitch) {
  const Topology topology = fred_d();
  const double alone = times_of(topology, {unicast({0, 1})}).end;
  const FlowTimes both = times_of(topology, {unicast({0, 1}), unicast({2, 3}, kMp)});
  EXPECT_NEAR(both.parts[1].end, alone, 1e-6);
  EXPECT_NEAR(both.parts[0].end, 2 * alone, 0.1 * alone);
}

TEST(PhaseTurns, PartsOfOnePhaseAreConcurrent) {
  const Topology topology = fred_d();
  const double alone = times_of(topology, {unicast({0, 1})}).end;
  for (const FlowTimes::Part& part : times_of(topology, {unicast({0, 1}), unicast({2, 3})}).parts)
    EXPECT_NEAR(part.end, alone, 1e-6);
  EXPECT_NEAR(operations_end(topology, {unicast({0, 1}), unicast({0, 1})}), 2 * alone, 0.1 * alone);
}

TEST(PhaseTurns, OperationsOfDifferentPhasesShareTheSwitch) {
  const Topology topology = fred_d();
  const double alone = operations_end(topology, {unicast({0, 1})});
  const std::vector<CollectiveSpec> both{unicast({0, 1}), unicast({2, 3})};
  EXPECT_NEAR(operations_end(topology, both), 2 * alone, 0.1 * alone);
  // Groups on their own switches.
  const std::vector<CollectiveSpec> apart{unicast({0, 1}), unicast({4, 5})};
  EXPECT_NEAR(operations_end(topology, apart), alone, 1);
}

TEST(PhaseTurns, TwoPhasesInUseDoNotTakeTurns) {
  const Topology topology = fred_d({"switch.phases_in_use=2"});
  const double alone = operations_end(topology, {unicast({0, 1})});
  EXPECT_NEAR(operations_end(topology, {unicast({0, 1}), unicast({2, 3})}), alone, 1);
}

TEST(PhaseTurns, SwitchesWithoutPhasesHaveNone) {
  const Topology topology = load_config("configs/mesh.yaml").topology;
  EXPECT_EQ(PhaseTurns(topology).capacities(), flow_capacities(topology));
}

}  // namespace
}  // namespace fredsim::test
