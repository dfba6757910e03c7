// SPDX-License-Identifier: Apache-2.0
// Grids cut into partitions that run ahead by a look-ahead (engine/communicator.h,
// FabricOptions::cut): cycles, parts, counters, skipped periods and failures equal the uncut
// grid's. Random grids, cuts and works, from seeds.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "config/config.h"
#include "engine/communicator.h"
#include "engine/machine.h"
#include "engine/plan_run.h"
#include "fabric/cut.h"
#include "support/comparable_results.h"
#include "support/random_range.h"
#include "support/random_work.h"
#include "support/simulation.h"
#include "support/test_mesh_router.h"
#include "systems/make_plan.h"

namespace fredsim::test {
namespace {

Topology random_grid(Random& random, int max_columns = 5, int max_rows = 4) {
  const bool torus = random.below(3) == 0;
  const int columns = random_between(random, torus ? 3 : 2, max_columns);
  const int rows = random_between(random, torus ? 3 : 2, max_rows);
  return load_config(
             torus ? "configs/torus.yaml" : "configs/mesh.yaml",
             {fmt::format("fabric.width={}", columns), fmt::format("fabric.height={}", rows),
              fmt::format("npu.count={}", columns * rows), "io.count=0",
              fmt::format("fabric.link_bandwidth={} GB/s", 500 + random.below(269)),
              fmt::format("fabric.link_latency={} ns", random_between(random, 1, 30))})
      .topology;
}

Cut random_rectangles(Random& random, const Topology& grid) {
  return cut_into_rectangles(grid, random_between(random, 1, grid.grid.width - 1),
                             random_between(random, 1, grid.grid.height));
}

// Any works, with starts of their own, and long ones, which recur where they have a pace.
std::vector<CollectiveSpec> random_parts(Random& random, int npus) {
  if (random.below(2) == 0) return random_work(random, npus, 3, 400'000);
  CollectiveSpec spec;
  spec.collective = random.below(2) == 0 ? Collective::kAllReduce : Collective::kBroadcast;
  for (int npu = 0; npu < npus; ++npu) spec.group.push_back(npu);
  spec.bytes = 1'000'000 + random.below(3'000'000);
  if (random.below(2) == 0) spec.order = PacketOrder::kPaced;
  return {spec};
}

class RunAhead : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RunAhead, GivesWhatTheWholeGives) {
  constexpr int kRuns = 5;
  for (std::uint64_t seed = kRuns * GetParam(); seed < kRuns * (GetParam() + 1); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const Topology grid = random_grid(random);
    const Cut cut = random_rectangles(random, grid);
    const bool skip = random.below(2) == 0;
    const Plan plan = make_plan(grid, random_parts(random, static_cast<int>(grid.npus.size())),
                                OnConflict::kLater);
    Simulation simulation;
    Machine whole("whole", grid, {.seed = seed, .skip = skip});
    Machine ahead("ahead", grid, {.seed = seed, .skip = skip, .cut = cut});
    simulation.run([&] {
      const RunResult expected = run_plan(whole, plan);
      for (int run = 0; run < 2; ++run) {
        const RunResult result = run_plan(ahead, plan);
        EXPECT_EQ(results_and_parts(result), results_and_parts(expected));
        EXPECT_EQ(result.repeated_cycles, expected.repeated_cycles);
        EXPECT_EQ(result.payload, "exact");
      }
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RunAhead, testing::Range<std::uint64_t>(0, 8));

// States are looked at after the same edges.
TEST(RunAheadSkipping, SkipsWhatTheWholeSkips) {
  const Topology grid =
      load_config("configs/mesh_2x2.yaml", {"fabric.width=3", "npu.count=6", "io.count=0"})
          .topology;
  Simulation simulation;
  Machine whole("whole", grid, {});
  Machine ahead("ahead", grid, {.cut = cut_into_rectangles(grid, 1, 1)});
  simulation.run([&] {
    for (const PacketOrder order : {PacketOrder::kPaced, CollectiveSpec{}.order}) {
      CollectiveSpec spec;
      spec.group = {0, 1, 2, 3, 4, 5};
      spec.bytes = 12'000'000;
      spec.algorithm = "multi_tree";
      spec.order = order;
      const Plan plan = make_plan(grid, {&spec, 1});
      const RunResult expected = run_plan(whole, plan);
      const RunResult result = run_plan(ahead, plan);
      EXPECT_GT(expected.repeated_cycles, 0U);
      EXPECT_EQ(result.repeated_cycles, expected.repeated_cycles);
      EXPECT_EQ(results_and_parts(result), results_and_parts(expected));
    }
  });
}

// Messages of a failing run: the time-out at its cycle, and the list of waiting ranks.
TEST(RunAheadFailures, ATimeOutIsThatOfTheWhole) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const Topology grid = random_grid(random);
    const Cut cut = random_rectangles(random, grid);
    const std::uint64_t limit = 100 + random.below(400);
    CollectiveSpec spec;
    for (int npu = 0; npu < std::ssize(grid.npus); ++npu) spec.group.push_back(npu);
    spec.bytes = 4'000'000;
    const Plan plan = make_plan(grid, {&spec, 1});
    Simulation simulation;
    Machine whole("whole", grid, {.timeout_cycles = limit});
    Machine ahead("ahead", grid, {.timeout_cycles = limit, .cut = cut});
    simulation.run([&] {
      const std::string expected = message_of<RunFailed>([&] { run_plan(whole, plan); });
      EXPECT_NE(expected.find(fmt::format("time-out after {} cycles", limit)), std::string::npos);
      EXPECT_EQ(message_of<RunFailed>([&] { run_plan(ahead, plan); }), expected);
    });
  }
}

TEST(RunAheadFailures, ADeadlockIsThatOfTheWhole) {
  const Topology grid = load_config("configs/mesh.yaml", {"fabric.width=4", "fabric.height=3",
                                                          "npu.count=12", "io.count=0"})
                            .topology;
  const SwitchFactory stuck = [](const Node& node, const SwitchShape& shape) {
    auto router = std::make_unique<TestMeshRouter>(shape);
    if (node.name == "r2_1") router->hold = 0x0F;  // no path out to its neighbours
    return router;
  };
  CollectiveSpec spec;
  for (int npu = 0; npu < 12; ++npu) spec.group.push_back(npu);
  spec.bytes = 1 << 20;
  const Plan plan = make_plan(grid, {&spec, 1});
  Simulation simulation;
  Machine whole("whole", grid, {}, stuck);
  Machine ahead("ahead", grid, {.cut = cut_into_rectangles(grid, 2, 2)}, stuck);
  simulation.run([&] {
    const std::string expected = message_of<RunFailed>([&] { run_plan(whole, plan); });
    EXPECT_NE(expected.find("deadlock"), std::string::npos);
    EXPECT_EQ(message_of<RunFailed>([&] { run_plan(ahead, plan); }), expected);
  });
}

TEST(CutForCaches, IsOfLargeGridsOnlyInSquaresOfRoutersWithTheirNpus) {
  const auto grid = [](int columns, int rows, const std::vector<std::string>& more = {}) {
    std::vector<std::string> settings{fmt::format("fabric.width={}", columns),
                                      fmt::format("fabric.height={}", rows),
                                      fmt::format("npu.count={}", columns * rows), "io.count=0"};
    settings.insert(settings.end(), more.begin(), more.end());
    return load_config("configs/mesh.yaml", settings).topology;
  };
  EXPECT_TRUE(cut_for_caches(grid(5, 4)).empty());
  EXPECT_TRUE(cut_for_caches(grid(12, 11)).empty());
  EXPECT_FALSE(cut_for_caches(grid(12, 12)).empty());
  EXPECT_TRUE(cut_for_caches(grid(32, 16, {"link.reliability=link"})).empty());
  EXPECT_TRUE(cut_for_caches(load_config("configs/fred_d.yaml").topology).empty());

  const Topology large = grid(26, 20);
  const Cut cut = cut_for_caches(large);
  EXPECT_EQ(partitions_of(large, cut), 4 * 3);
  EXPECT_EQ(look_ahead(large, cut), 30U);  // no link between an NPU and its router crosses
  for (NodeId id = 0; id < std::ssize(large.nodes); ++id) {
    const Node& node = large.nodes[id];
    if (node.is_switch()) {
      EXPECT_EQ(cut[id], node.mesh.y / 8 * 4 + node.mesh.x / 8) << node.name;
    }
  }
}

// Ends of operations, each issued when the one before it is complete.
std::vector<std::uint64_t> ends_of_a_row(Machine& machine,
                                         const std::vector<CollectiveSpec>& work) {
  constexpr std::size_t kOperations = 3;
  std::vector<std::uint64_t> ends;
  Communicator communicator(machine);
  communicator.on_complete([&](const OperationReport& report) {
    ends.push_back(report.ended);
    if (ends.size() < kOperations) communicator.issue(work, {.seed = ends.size()});
  });
  communicator.begin();
  communicator.issue(work, {});
  communicator.start();
  communicator.finish();
  return ends;
}

// An operation issued on a completion does not begin a look-ahead late.
TEST(RunAheadOf, OperationsThatFollowEachOtherBeginAsInTheWhole) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const Topology grid = random_grid(random);
    const std::vector<CollectiveSpec> work =
        random_work(random, static_cast<int>(grid.npus.size()), 1, 50'000);
    Simulation simulation;
    Machine whole("whole", grid, {});
    Machine cut("cut", grid, {.cut = random_rectangles(random, grid)});
    simulation.run([&] {
      const std::vector<std::uint64_t> expected = ends_of_a_row(whole, work);
      EXPECT_EQ(ends_of_a_row(cut, work), expected);
      EXPECT_EQ(expected.size(), 3U);
    });
  }
}

}  // namespace
}  // namespace fredsim::test
