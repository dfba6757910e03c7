// SPDX-License-Identifier: Apache-2.0
// Switches that step together in a run until somebody looks at them (FabricCore::Groups::kAlways):
// results, counters and the periods that are found equal those of switches and endpoints that step
// at every edge by themselves. Random grids and works, from seeds.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>

#include "config/config.h"
#include "engine/machine.h"
#include "engine/plan_run.h"
#include "support/comparable_results.h"
#include "support/random_range.h"
#include "support/random_work.h"
#include "support/simulation.h"
#include "systems/make_plan.h"

namespace fredsim::test {
namespace {

// Rates of up to a flit per cycle, which is 768 GB/s.
Topology random_grid(Random& random) {
  const bool torus = random.below(3) == 0;
  const int columns = random_between(random, torus ? 3 : 2, 4);
  const int rows = random_between(random, torus ? 3 : 2, 4);
  return load_config(
             torus ? "configs/torus.yaml" : "configs/mesh.yaml",
             {fmt::format("fabric.width={}", columns), fmt::format("fabric.height={}", rows),
              fmt::format("npu.count={}", columns * rows), "io.count=0",
              fmt::format("fabric.link_bandwidth={} GB/s",
                          random.below(4) == 0 ? 768 : 300 + random.below(469)),
              fmt::format("fabric.link_latency={} ns", random_between(random, 1, 30))})
      .topology;
}

class KeptGroups : public testing::TestWithParam<std::uint64_t> {};

TEST_P(KeptGroups, GiveWhatSwitchesGiveThatStepAlone) {
  constexpr int kRuns = 8;
  for (std::uint64_t seed = kRuns * GetParam(); seed < kRuns * (GetParam() + 1); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const Topology grid = random_grid(random);
    const Plan plan =
        make_plan(grid, random_work(random, static_cast<int>(grid.npus.size()), 4, 300'000),
                  OnConflict::kLater);
    Simulation simulation;
    Machine alone("alone", grid, {.seed = seed, .skip = false});
    alone.fabric().core().set_always_step(true);
    Machine together("together", grid, {.seed = seed, .skip = false});
    Machine skipping("skipping", grid, {.seed = seed});
    simulation.run([&] {
      const RunResult expected = run_plan(alone, plan);
      for (int run = 0; run < 2; ++run) {
        EXPECT_EQ(results_and_parts(run_plan(together, plan)), results_and_parts(expected));
        EXPECT_EQ(results_and_parts(run_plan(skipping, plan)), results_and_parts(expected));
      }
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, KeptGroups, testing::Range<std::uint64_t>(0, 8));

// A run that is given up in its middle reads counters of switches that are not idle.
TEST(KeptGroupsStopped, HaveTheCountersOfTheirCycle) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const Topology grid = random_grid(random);
    CollectiveSpec spec;
    spec.collective = Collective::kAllToAll;
    for (int npu = 0; npu < std::ssize(grid.npus); ++npu) spec.group.push_back(npu);
    spec.bytes = 6'000'000;
    const Plan plan = make_plan(grid, {&spec, 1});
    const std::uint64_t most = 100 + random.below(1500);
    Simulation simulation;
    Machine alone("alone", grid, {.seed = seed, .skip = false});
    alone.fabric().core().set_always_step(true);
    Machine together("together", grid, {.seed = seed, .skip = false});
    simulation.run([&] {
      const RunResult expected = run_plan(alone, plan, {}, most);
      ASSERT_TRUE(expected.incomplete);
      EXPECT_EQ(results_and_parts(run_plan(together, plan, {}, most)), results_and_parts(expected));
    });
  }
}

}  // namespace
}  // namespace fredsim::test
