// SPDX-License-Identifier: Apache-2.0
// Works of steps: order, delay, repetition, and that a work without them is the plan that it was.
#include "engine/work_run.h"

#include <gtest/gtest.h>

#include "config/config.h"
#include "engine/plan_run.h"
#include "results/timeline.h"
#include "support/simulation.h"
#include "systems/make_plan.h"

namespace fredsim::test {
namespace {

WorkStep step_of(const std::string& name, std::vector<std::vector<int>> groups, std::uint64_t bytes,
                 int vc) {
  WorkStep step;
  step.name = name;
  for (std::vector<int>& group : groups) {
    CollectiveSpec& spec = step.specs.emplace_back();
    spec.group = std::move(group);
    spec.bytes = bytes;
    spec.vc = vc;
  }
  return step;
}

class WorkRunTest : public testing::Test {
 protected:
  RunResult run(std::vector<WorkStep> steps, int rows = 0) {
    Simulation simulation;
    Machine machine("machine", topology_, {});
    RunResult result;
    const WorkPlan work = plan_steps(topology_, std::move(steps), OnConflict::kRefuse);
    simulation.run([&] { result = run_work(machine, work, {}, rows); });
    EXPECT_EQ(result.payload, "exact");
    return result;
  }
  Topology topology_ = load_config("configs/fred_small.yaml").topology;
};

TEST_F(WorkRunTest, StepsWithoutOrderAreThePlanThatTheyWere) {
  const std::vector<WorkStep> steps{step_of("a", {{0, 1}, {2, 3}}, 20'000, kMp),
                                    step_of("b", {{0, 2}, {1, 3}}, 50'000, kDp)};
  std::vector<CollectiveSpec> specs;
  for (const WorkStep& step : steps)
    specs.insert(specs.end(), step.specs.begin(), step.specs.end());
  Simulation simulation;
  Machine machine("machine", topology_, {});
  RunResult planned;
  simulation.run([&] { planned = run_plan(machine, make_plan(topology_, specs)); });
  const RunResult result = run(steps);
  EXPECT_EQ(result.cycles, planned.cycles);
  EXPECT_EQ(result.link_bytes, planned.link_bytes);
  ASSERT_EQ(result.parts.size(), planned.parts.size());
  for (std::size_t p = 0; p < result.parts.size(); ++p) {
    EXPECT_EQ(result.parts[p].cycles, planned.parts[p].cycles);
    EXPECT_EQ(result.parts[p].name, p < 2 ? "a" : "b");
  }
}

TEST_F(WorkRunTest, RepetitionsTakeOneRowAndNTimesTheTraffic) {
  WorkStep step = step_of("mp", {{0, 1}, {2, 3}}, 20'000, kMp);
  const RunResult once = run({step});
  step.repeat = 30;
  const RunResult result = run({step}, 1);
  EXPECT_EQ(result.link_bytes, 30 * once.link_bytes);
  ASSERT_TRUE(result.operations.has_value());
  EXPECT_EQ(result.operations->complete, 30U);
  EXPECT_EQ(result.operations->rows.preloaded, 1U);
  EXPECT_EQ(result.operations->rows.loaded, 0U);
  EXPECT_EQ(result.parts[0].operations, 30U);
  // Each begins when the one before is complete; the first one has to change to the phase.
  EXPECT_LE(result.cycles, 30 * (once.cycles + 1));
  EXPECT_GT(result.cycles, 30 * (once.cycles - 10));
}

TEST_F(WorkRunTest, DelayAndOrderAreKept) {
  WorkStep a = step_of("a", {{0, 1, 2, 3}}, 10'000, kMp);
  WorkStep b = step_of("b", {{0, 1, 2, 3}}, 10'000, kMp);
  b.after = {{.step = 0, .all_ranks = true}};
  b.delay = 500;
  const RunResult result = run({a, b});
  EXPECT_EQ(result.parts[1].start_cycle,
            result.parts[0].start_cycle + result.parts[0].cycles + 1 + 500);
  // A step may be named before its predecessors.
  b.after = {{.step = 1, .all_ranks = true}};
  EXPECT_EQ(run({b, a}).parts[0].start_cycle, result.parts[1].start_cycle);
  a.repeat = 3;
  a.delay = 100;
  const RunResult repeated = run({a});
  EXPECT_EQ(repeated.parts[0].start_cycle, 100U);
  // An NPU may run slightly ahead of other NPUs.
  EXPECT_LE(repeated.cycles, 3 * (100 + result.parts[0].cycles + 1));
  EXPECT_GT(repeated.cycles, 3 * (100 + result.parts[0].cycles - 10));
}

// Breakdown of the cycles of repeated steps: every repetition has all of its own cycles, with rows
// that overwrite each other; the breakdown does not change the run, and all implementations give
// the same one.
TEST(WorkRun, BreakdownsAddUp) {
  const Topology topology = load_config("configs/fred_small.yaml").topology;
  std::vector<WorkStep> steps{step_of("a", {{0, 1, 2, 3}}, 9000, kMp),
                              step_of("b", {{0, 2}, {1, 3}}, 5000, kMp),
                              step_of("c", {{0, 1}}, 2000, kMp)};
  steps[1].after = {{.step = 0}};
  steps[2].after = {{.step = 1}};
  steps[0].repeat = 3;
  steps[2].repeat = 5;
  for (WorkStep& step : steps) step.delay = 17;
  const auto result_of = [&](const FabricOptions& options) {
    Simulation simulation;
    Machine machine("machine", topology, options);
    RunResult result;
    const WorkPlan work = plan_steps(topology, steps, OnConflict::kRefuse);
    simulation.run([&] { result = run_work(machine, work, {}, 1); });
    return result;
  };
  const RunResult plain = result_of({});
  Timeline timeline;
  const RunResult seen =
      result_of({.timeline = &timeline, .timeline_level = 3, .breakdown = {.is_on = true}});
  EXPECT_EQ(seen.cycles, plain.cycles);
  EXPECT_GT(plain.operations->rows.evicted, 0U);
  ASSERT_EQ(seen.breakdowns.size(), 4U);
  const RunResult lockstep =
      result_of({.model = SwitchModel::kLockstep, .breakdown = {.is_on = true}});
  std::uint64_t packets = 0;
  for (std::size_t p = 0; p < seen.breakdowns.size(); ++p) {
    const LatencyBreakdown& part = seen.breakdowns[p];
    ASSERT_TRUE(part.path.has_value());
    EXPECT_EQ(part.path->cycles, lockstep.breakdowns[p].path->cycles);
    EXPECT_EQ(part.packets, lockstep.breakdowns[p].packets);
    packets += part.packets;
    if (seen.parts[p].operations == 1) {
      EXPECT_EQ(part.path->cycles, seen.parts[p].cycles);
    } else {
      // Ranks go on by themselves: a repetition may begin before the one before has ended
      // everywhere.
      EXPECT_GE(part.path->cycles + (seen.parts[p].operations - 1) * 18, seen.parts[p].cycles);
    }
  }
  // Packets of 4 KiB: three times 3 at 4 NPUs, 2 at 2 twice, five times 1 at 2.
  EXPECT_EQ(packets, 3U * 3 * 4 + 2U * 2 * 2 + 5U * 1 * 2);
}

// A tenth of a second between two steps is not simulated, and changes nothing.
TEST(WorkRun, IdleCyclesAreSkipped) {
  const Topology topology = load_config("configs/fred_small.yaml").topology;
  CollectiveSpec spec;
  spec.group = {0, 1, 2, 3};
  spec.bytes = 10'000;
  WorkStep first{.name = "first", .specs = {spec}, .after = {}};
  WorkStep second{.name = "second", .specs = {spec}, .after = {{.step = 0}}, .delay = 20'000};
  Simulation simulation;
  Machine skips("skips", topology, {});
  Machine full("full", topology, {.skip = false});
  simulation.run([&] {
    const RunResult complete =
        run_work(full, plan_steps(topology, {first, second}, OnConflict::kRefuse));
    const RunResult skipped =
        run_work(skips, plan_steps(topology, {first, second}, OnConflict::kRefuse));
    EXPECT_EQ(skipped.cycles, complete.cycles);
    EXPECT_EQ(skipped.link_bytes, complete.link_bytes);
    EXPECT_EQ(complete.idle_cycles, 0U);
    EXPECT_GT(skipped.idle_cycles, 19'000U);
    second.delay = 150'000'000;
    const RunResult late =
        run_work(skips, plan_steps(topology, {first, second}, OnConflict::kRefuse));
    EXPECT_EQ(late.cycles, skipped.cycles + second.delay - 20'000);
  });
}

}  // namespace
}  // namespace fredsim::test
