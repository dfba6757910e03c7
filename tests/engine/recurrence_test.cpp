// SPDX-License-Identifier: Apache-2.0
// Skipped cycles (engine/memo/recurrence.h, FabricCore::rest()): the results must equal a run in
// full, to the cycle, flit and stall. Random machines of every kind of switch, groups, collectives
// and sizes, from seeds.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "config/config.h"
#include "engine/machine.h"
#include "engine/plan_run.h"
#include "engine/small_windows.h"
#include "support/comparable_results.h"
#include "support/random_machine.h"
#include "support/random_work.h"
#include "support/simulation.h"
#include "systems/make_plan.h"

namespace fredsim::test {
namespace {

CollectiveSpec all_reduce_of(std::uint64_t bytes, std::uint64_t start_cycle = 0) {
  CollectiveSpec spec;
  spec.group = {0, 1, 2, 3};
  spec.bytes = bytes;
  spec.start_cycle = start_cycle;
  return spec;
}

// One to three collectives, most of a kind that goes through the switches as a stream, at several
// priorities.
std::vector<CollectiveSpec> random_long_work(Random& random, int npus) {
  constexpr Collective kStreams[] = {Collective::kAllReduce, Collective::kReduce,
                                     Collective::kBroadcast, Collective::kUnicast,
                                     Collective::kAllToAll};
  std::vector<CollectiveSpec> work(1 + random.below(3));
  for (CollectiveSpec& spec : work) {
    spec.collective = kStreams[random.below(5)];
    spec.group = random_group(random, npus);
    if (spec.collective == Collective::kUnicast && spec.group.size() > 2) spec.group.resize(2);
    if (spec.collective == Collective::kUnicast && spec.group.size() < 2)
      spec.collective = Collective::kBroadcast;
    spec.bytes = 200'000 + random.below(1'500'000);
    spec.vc = static_cast<int>(random.below(3));
    spec.root = static_cast<int>(random.below(spec.group.size()));
    if (random.below(3) == 0) spec.start_cycle = random.below(8000);
  }
  return work;
}

// A run that is given up for the cycles it takes leaves nothing on the machine.
TEST(SimulatedCycles, ARunThatSimulatesTooMuchIsGivenUp) {
  int given_up = 0, complete = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const Topology topology = random_machine(random);
    const Plan plan =
        make_plan(topology, random_long_work(random, static_cast<int>(topology.npus.size())));
    const std::uint64_t most = 100 + random.below(2000);
    Simulation simulation;
    Machine machine("machine", topology, {.seed = seed}), fresh("fresh", topology, {.seed = seed});
    simulation.run([&] {
      const RunResult part = run_plan(machine, plan, {}, most);
      const RunResult all = run_plan(machine, plan), expected = run_plan(fresh, plan);
      EXPECT_EQ(results_and_parts(all), results_and_parts(expected));
      const auto simulated = [](const RunResult& of) {
        return of.cycles - std::min(of.cycles, of.idle_cycles + of.repeated_cycles);
      };
      if (part.incomplete) {
        EXPECT_LE(simulated(part), most + 1);
        EXPECT_GT(simulated(expected), most);
      } else {
        EXPECT_EQ(results_and_parts(part), results_and_parts(expected));
      }
      ++(part.incomplete ? given_up : complete);
    });
  }
  EXPECT_GT(given_up, 3);
  EXPECT_GT(complete, 3);
}

class Skipping : public testing::TestWithParam<std::uint64_t> {};

constexpr std::uint64_t kMachinesPerCase = 10;  // per case

TEST_P(Skipping, GivesWhatARunInFullGives) {
  int runs = 0, repeating = 0;
  for (std::uint64_t seed = kMachinesPerCase * GetParam();
       seed < kMachinesPerCase * (GetParam() + 1); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const Topology topology = random_machine(random);
    const int npus = static_cast<int>(topology.npus.size());
    Simulation simulation;
    Machine skips("skips", topology, {.seed = seed});
    Machine full("full", topology, {.seed = seed, .skip = false});
    simulation.run([&] {
      for (int run = 0; run < 4; ++run) {
        const std::vector<CollectiveSpec> work =
            run == 0 ? random_work(random, npus, 2, 1'500'000) : random_long_work(random, npus);
        Plan plan;
        try {
          plan = make_plan(topology, work, OnConflict::kLater);
        } catch (const BadInput&) {
          continue;  // not possible on this machine
        }
        if (random.below(2) == 0) shrink_windows(random, plan);
        const RunResult skipped = run_plan(skips, plan);
        const RunResult complete = run_plan(full, plan);
        EXPECT_EQ(results_and_parts(skipped), results_and_parts(complete)) << "run " << run;
        EXPECT_EQ(complete.idle_cycles + complete.repeated_cycles, 0U);
        ++runs;
        repeating += skipped.repeated_cycles > 0 ? 1 : 0;
      }
    });
  }
  EXPECT_GE(10 * repeating, runs);
}

INSTANTIATE_TEST_SUITE_P(TenMachines, Skipping, testing::Range<std::uint64_t>(0, 12));

class SkippingOf : public testing::TestWithParam<const char*> {};

// Most of a long all-reduce in the switches is repetition.
TEST_P(SkippingOf, ALongRunTakesFewCycles) {
  const Topology topology =
      load_config("configs/fred_small.yaml", {fmt::format("switch.kind={}", GetParam())}).topology;
  Simulation simulation;
  Machine machine("machine", topology, {});
  simulation.run([&] {
    const RunResult r = run_plan(machine, make_plan(topology, Collective::kAllReduce, {0, 1, 2, 3},
                                                    std::uint64_t{1} << 30, "in_switch"));
    EXPECT_EQ(r.payload, "exact");
    EXPECT_LT(r.cycles - r.repeated_cycles, 20'000U) << r.cycles;
    EXPECT_EQ(r.injected_bytes, 4 * (std::uint64_t{1} << 30));
  });
}

INSTANTIATE_TEST_SUITE_P(Kinds, SkippingOf,
                         testing::Values("fred", "reducing_crossbar", "aggregator"));

// Skipped hops count wafer links only, as in the whole run: links on a die have more flits.
TEST(Skipping, HopsPassedOverAreThoseOfWaferLinks) {
  const Topology topology = load_config("configs/mesh_2x2.yaml").topology;
  Simulation simulation;
  Machine machine("machine", topology, {});
  simulation.run([&] {
    const RunResult r = run_plan(
        machine, make_plan(topology, Collective::kAllReduce, {0, 1, 2, 3}, 64 << 20, "hier_ring"));
    const double cycles = static_cast<double>(r.repeated_cycles) / static_cast<double>(r.cycles);
    EXPECT_GT(cycles, 0.5);
    EXPECT_NEAR(static_cast<double>(r.repeated_flit_hops) / static_cast<double>(r.flit_hops),
                cycles, 0.02);
  });
}

// Equal results with and without skipping, and more than half of the cycles are skipped.
void expect_mostly_left_out(const Topology& topology,
                            const std::vector<std::vector<CollectiveSpec>>& works) {
  Simulation simulation;
  Machine skips("skips", topology, {});
  Machine full("full", topology, {.skip = false});
  simulation.run([&] {
    for (const std::vector<CollectiveSpec>& work : works) {
      const Plan plan = make_plan(topology, work);
      const RunResult skipped = run_plan(skips, plan);
      EXPECT_EQ(results_and_parts(skipped), results_and_parts(run_plan(full, plan)));
      EXPECT_GT(2 * skipped.repeated_cycles, skipped.cycles);
    }
  });
}

// Rings and trees of a mesh, in one group and in several that share links: most of a long run is
// repetition, too.
TEST(SkippingOnAMesh, LeavesOutMostOfALongAllReduce) {
  const Topology topology =
      load_config("configs/mesh_2x2.yaml", {"fabric.width=3", "npu.count=6", "io.count=0"})
          .topology;
  const auto part = [](std::vector<int> group, const char* algorithm) {
    CollectiveSpec spec;
    spec.group = std::move(group);
    spec.bytes = 12'000'000;
    spec.algorithm = algorithm;
    return spec;
  };
  const std::vector<std::vector<CollectiveSpec>> works = {
      {part({0, 1, 2, 3, 4, 5}, "multi_tree")},
      {part({0, 1, 3, 4}, "ring")},
      {part({0, 4, 2}, "ring"), part({1, 3, 5}, "ring")},
  };
  expect_mostly_left_out(topology, works);
}

// With a pace: any collective on any grid, at any rate of its links; and long ones are mostly
// repetition.
class SkippingWithAPace : public testing::TestWithParam<std::uint64_t> {};

TEST_P(SkippingWithAPace, GivesWhatARunInFullGives) {
  constexpr Collective kKinds[] = {Collective::kAllReduce, Collective::kReduceScatter,
                                   Collective::kAllGather, Collective::kBroadcast,
                                   Collective::kReduce,    Collective::kAllToAll};
  constexpr int kRuns = 6;
  int repeating = 0;
  for (std::uint64_t seed = kRuns * GetParam(); seed < kRuns * (GetParam() + 1); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const int width = 2 + static_cast<int>(random.below(3));
    const int height = 2 + static_cast<int>(random.below(2));
    const Topology topology =
        load_config("configs/mesh_2x2.yaml",
                    {fmt::format("fabric.width={}", width), fmt::format("fabric.height={}", height),
                     fmt::format("npu.count={}", width * height), "io.count=0",
                     fmt::format("fabric.link_bandwidth={} GB/s", 500 + random.below(269))})
            .topology;
    CollectiveSpec spec;
    spec.collective = kKinds[seed % kRuns];
    for (int npu = 0; npu < width * height; ++npu) spec.group.push_back(npu);
    spec.bytes = 4'000'000 + random.below(8'000'000);
    spec.order = PacketOrder::kPaced;
    const Plan plan = make_plan(topology, {&spec, 1});
    Simulation simulation;
    Machine skips("skips", topology, {.seed = seed});
    Machine full("full", topology, {.seed = seed, .skip = false});
    simulation.run([&] {
      const RunResult skipped = run_plan(skips, plan);
      EXPECT_EQ(results_and_parts(skipped), results_and_parts(run_plan(full, plan)));
      repeating += skipped.repeated_cycles > 0 ? 1 : 0;
    });
  }
  EXPECT_GE(repeating, 2);
}

INSTANTIATE_TEST_SUITE_P(SixMachines, SkippingWithAPace, testing::Range<std::uint64_t>(0, 6));

// Rings at the endpoints of trees, fast uplinks and slow ones, in one group and in several that
// share links.
TEST(SkippingOnATree, LeavesOutMostOfALongAllReduce) {
  const auto part = [](std::vector<int> group) {
    CollectiveSpec spec;
    spec.group = std::move(group);
    spec.bytes = 12'000'000;
    spec.algorithm = spec.group.size() == 6 ? "hier_ring" : "ring";
    return spec;
  };
  const std::vector<std::vector<CollectiveSpec>> works = {
      {part({0, 1, 2, 3, 4, 5})}, {part({0, 2, 4}), part({1, 3, 5})}, {part({0, 1})}};
  for (const char* uplinks : {"300 GB/s", "1.2 TB/s"}) {
    SCOPED_TRACE(uplinks);
    const Topology topology =
        load_config("configs/fred_small.yaml",
                    {"fabric.in_switch=false", "fabric.l1_switches=3", "npu.count=6",
                     fmt::format("fabric.uplink_bandwidth={}", uplinks)})
            .topology;
    expect_mostly_left_out(topology, works);
  }
}

// A tenth of a second in which nothing happens.
TEST(SkippingIdleCycles, CostNothingAndAreCounted) {
  const Topology topology = load_config("configs/fred_small.yaml").topology;
  const CollectiveSpec early = all_reduce_of(5000);
  const CollectiveSpec late = all_reduce_of(5000, 150'000'000);
  Simulation simulation;
  Machine machine("machine", topology, {});
  simulation.run([&] {
    const RunResult alone = run_plan(machine, make_plan(topology, {&early, 1}));
    const sc_core::sc_time before = sc_core::sc_time_stamp();
    const RunResult r =
        run_plan(machine, make_plan(topology, std::vector{early, late}, OnConflict::kLater));
    EXPECT_EQ(r.parts[1].start_cycle, late.start_cycle);
    EXPECT_GT(r.cycles, late.start_cycle);
    EXPECT_LE(r.cycles, late.start_cycle + alone.cycles);  // its phase is in use already
    EXPECT_GT(r.idle_cycles, late.start_cycle - 1000);
    // Time in SystemC goes on as it would.
    EXPECT_GT((sc_core::sc_time_stamp() - before).to_seconds(), 0.1);
    EXPECT_LT((sc_core::sc_time_stamp() - before).to_seconds(), 0.10001);
  });
}

TEST(SkippingIdleCycles, ATimeOutComesAtItsCycle) {
  const Topology topology = load_config("configs/fred_small.yaml").topology;
  for (const CollectiveSpec& of :
       {all_reduce_of(std::uint64_t{1} << 30), all_reduce_of(5000, 1'000'000)}) {
    std::vector<std::string> messages;
    Simulation simulation;
    Machine skips("skips", topology, {.timeout_cycles = 30'000});
    Machine full("full", topology, {.timeout_cycles = 30'000, .skip = false});
    simulation.run([&] {
      for (Machine* machine : {&skips, &full}) {
        try {
          run_plan(*machine, make_plan(topology, {&of, 1}));
        } catch (const RunFailed& failed) {
          messages.emplace_back(failed.what());
        }
      }
    });
    ASSERT_EQ(messages.size(), 2U);
    EXPECT_EQ(messages[0], messages[1]);
  }
}

}  // namespace
}  // namespace fredsim::test
