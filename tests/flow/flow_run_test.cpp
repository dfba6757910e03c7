// SPDX-License-Identifier: Apache-2.0
// Plans as flows, against results known without a simulation.
#include "flow/flow_run.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "config/config.h"
#include "flow/flow_plan.h"
#include "flow/flow_simulation.h"
#include "flow/flow_traffic.h"
#include "plan/link_load.h"
#include "support/random_work.h"
#include "systems/make_plan.h"
#include "topology/faults.h"

namespace fredsim::test {
namespace {

Plan plan_of(const Topology& topology, Collective collective, std::uint64_t bytes,
             std::vector<int> group = {}) {
  CollectiveSpec spec;
  spec.collective = collective;
  spec.bytes = bytes;
  spec.group = group.empty() ? npus_left(topology) : std::move(group);
  return make_plan(topology, {&spec, 1});
}

double bound_cycles(const Topology& topology, double ns) {
  return ns * static_cast<double>(topology.clock_hz) / 1e9;
}

// The busiest link cannot be beaten, and large collectives come near to it, where trees of a part
// leave none idle, as far as the buffer behind it lets it.
TEST(FlowRun, TakesTheTimeOfTheBusiestLinkAndThePath) {
  for (const std::string machine : {"mesh", "torus", "fred_a", "fred_c", "fred_d"}) {
    SCOPED_TRACE(machine);
    const Topology topology = load_config("configs/" + machine + ".yaml").topology;
    const Plan plan = plan_of(topology, Collective::kAllReduce, std::uint64_t{1} << 30);
    const double cycles = run_flows(topology, plan).end;
    const double bound = bound_cycles(topology, plan.bound_ns);
    EXPECT_GT(cycles, bound);
    const std::vector<double> capacities = flow_capacities(topology);
    const std::vector<double> limits = credit_limits(topology);
    double held_back = 1;
    for (std::size_t l = 0; l < limits.size(); ++l)
      held_back = std::max(held_back, capacities[l] / limits[l]);
    EXPECT_LT(held_back, 1.03);
    EXPECT_LT(cycles, bound * held_back * 1.005);
  }
}

// Long links behind small buffers carry buffer / round trip, behind large ones window / round trip,
// within the accuracy of exact runs.
TEST(FlowRun, KeepsToBuffersAndWindows) {
  struct Case {
    Collective collective;
    const char *algorithm, *latency, *buffer;
    double exact;  // cycles
  };
  for (const Case& one : {Case{Collective::kUnicast, "direct", "300 ns", "40 KiB", 0},
                          Case{Collective::kAllReduce, "ring", "1000 ns", "4096 KiB", 33'925},
                          Case{Collective::kAllGather, "ring", "1000 ns", "4096 KiB", 14'094},
                          Case{Collective::kBroadcast, "chain", "1000 ns", "4096 KiB", 12'943},
                          Case{Collective::kReduce, "chain", "2000 ns", "4096 KiB", 17'443}}) {
    SCOPED_TRACE(std::string(one.algorithm) + " " + one.latency);
    const Topology topology =
        load_config("configs/mesh_2x2.yaml", {std::string("fabric.link_latency=") + one.latency,
                                              std::string("switch.input_buffer=") + one.buffer,
                                              "switch.control_buffer=64 KiB"})
            .topology;
    CollectiveSpec spec;
    spec.collective = one.collective;
    spec.algorithm = one.algorithm;
    spec.bytes = 8 << 20;
    spec.group = npus_left(topology);
    if (one.collective == Collective::kUnicast) spec.group = {0, 1};
    // 80 flits per round trip of 2 x 450 cycles and 13 more.
    const double exact = one.exact > 0 ? one.exact : (8 << 20) / 512.0 / 80 * 913;
    const double flow = run_flows(topology, make_plan(topology, {&spec, 1})).end;
    EXPECT_LT(flow / exact, 1.03);
    EXPECT_GT(flow / exact, 0.6);
  }
}

TEST(FlowRun, ReadsItsOffsetAndItsDependencies) {
  const Topology topology = load_config("configs/mesh.yaml").topology;
  Plan plan = plan_of(topology, Collective::kAllReduce, 1 << 20);
  const double alone = run_flows(topology, plan).end;
  const std::array<double, 1> offset{100};
  EXPECT_DOUBLE_EQ(run_flows(topology, plan, offset).end, alone + 100);
  plan.parts.front().start_cycle = 1000;
  const FlowTimes later = run_flows(topology, plan);
  EXPECT_DOUBLE_EQ(later.parts.front().start, 1000);
  EXPECT_DOUBLE_EQ(later.end, alone + 1000);
}

TEST(FlowRun, APartThatComesAfterAnotherBeginsAtItsEnd) {
  const Topology topology = load_config("configs/mesh.yaml").topology;
  std::vector<CollectiveSpec> specs(2);
  for (CollectiveSpec& spec : specs) {
    spec.collective = Collective::kAllReduce;
    spec.bytes = 1 << 20;
    spec.group = npus_left(topology);
  }
  Plan both = make_plan(topology, specs);
  const double together = run_flows(topology, both).end;
  both.parts[1].after = {0};
  const FlowTimes one_after_the_other = run_flows(topology, both);
  EXPECT_EQ(one_after_the_other.parts[1].start, one_after_the_other.parts[0].end);
  EXPECT_GT(one_after_the_other.end, together);
  EXPECT_DOUBLE_EQ(one_after_the_other.end, 2 * one_after_the_other.parts[0].end);
}

// Time without latency grows with the size.
// Compares sizes at which packets have one order: acknowledgements, on links too, go by it.
TEST(FlowRun, ScalesWithTheSize) {
  for (const std::string machine : {"mesh", "fred_d", "fred_c"}) {
    const Topology topology = load_config("configs/" + machine + ".yaml").topology;
    const auto cycles = [&](std::uint64_t mib) {
      return run_flows(topology, plan_of(topology, Collective::kAllReduce, mib << 20)).end;
    };
    EXPECT_NEAR((cycles(512) - cycles(256)) / (cycles(256) - cycles(128)), 2, 2e-3) << machine;
  }
}

// Cycles in which trees have moved that all begin at once.
std::vector<double> moved(const Topology& topology, const std::vector<TreeFlow>& trees) {
  FlowSimulation simulation(flow_capacities(topology));
  std::vector<double> ends(trees.size());
  simulation.on_end([&](FlowSimulation::Flow flow) { ends[flow] = simulation.now(); });
  for (const TreeFlow& tree : trees) simulation.begin(tree.demand, tree.flits);
  simulation.run();
  return ends;
}

// Links that are left out where a plan is alone are none that hold its trees back.
TEST(FlowRun, LinksBehindOthersChangeNoTimes) {
  for (const std::string machine : {"mesh", "torus", "fred_a", "fred_d", "mesh_reducing"}) {
    const Topology topology = load_config("configs/" + machine + ".yaml").topology;
    std::size_t all = 0;
    std::size_t used = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      SCOPED_TRACE(machine + ", seed " + std::to_string(seed));
      Random random(seed);
      std::vector<CollectiveSpec> specs(1 + random.below(2));
      for (CollectiveSpec& spec : specs)
        spec = random_spec(random, static_cast<int>(topology.npus.size()), 1 << 20);
      Plan plan;
      try {
        plan = make_plan(topology, specs);
      } catch (const Error&) {
        continue;
      }
      const std::vector<TreeFlow> trees = flows_of(topology, plan);
      const std::vector<TreeFlow> alone = flows_of(topology, plan, true);
      const std::vector<double> expected = moved(topology, trees);
      const std::vector<double> found = moved(topology, alone);
      for (std::size_t t = 0; t < trees.size(); ++t) {
        EXPECT_NEAR(found[t], expected[t], 1e-9 * expected[t]);
        all += trees[t].demand.uses.size();
        used += alone[t].demand.uses.size();
      }
    }
    EXPECT_LT(used, all) << machine;
  }
}

// A plan whose trees have explicit ranks, without a box of rings.
Plan with_own_ranks(Plan plan) {
  for (Tree& tree : plan.trees) tree.ranks.all();
  return plan;
}

// Boxes of rings are a shorter path to the same numbers.
TEST(FlowRun, BoxesOfRingsAreWorthTheirRanks) {
  struct Case {
    const char* machine;
    const char* algorithm;
    int parts;
  };
  constexpr Case kCases[] = {{"mesh", "ring", 1},        {"mesh", "hier_ring", 1},
                             {"torus", "hier_ring", 1},  {"torus", "ring", 1},
                             {"fred_d", "hier_ring", 1}, {"fred_d", "ring", 1},
                             {"fred_d", "ring", 2},      {"mesh", "ring", 2}};
  for (const Case& c : kCases) {
    const Topology topology = load_config(std::string("configs/") + c.machine + ".yaml").topology;
    for (const std::uint64_t bytes : {100, 4096, 100'000, 1'000'000}) {
      SCOPED_TRACE(testing::Message() << c.machine << " " << c.algorithm << " " << c.parts
                                      << " parts of " << bytes << " bytes");
      CollectiveSpec spec;
      spec.collective = Collective::kAllReduce;
      spec.algorithm = c.algorithm;
      spec.bytes = bytes;
      spec.group = npus_left(topology);
      std::vector<CollectiveSpec> specs(c.parts, spec);
      if (c.parts == 2) specs.back().bytes = bytes / 3;
      const Plan plan = make_plan(topology, specs);
      ASSERT_NE(plan.trees.front().ranks.box_tree(), nullptr);
      Plan own = with_own_ranks(plan);
      ASSERT_EQ(own.trees.front().ranks.box_tree(), nullptr);
      EXPECT_EQ(link_flits(topology, plan), link_flits(topology, own));
      set_bounds(topology, own);
      EXPECT_DOUBLE_EQ(plan.bound_ns, own.bound_ns);
      const FlowTraffic traffic = flow_traffic(topology, plan);
      const FlowTraffic expected = flow_traffic(topology, own);
      EXPECT_EQ(traffic.flits, expected.flits);
      EXPECT_EQ(traffic.bytes, expected.bytes);
      EXPECT_EQ(traffic.result_bytes, expected.result_bytes);
      const std::vector<TreeFlow> flows = flows_of(topology, plan);
      const std::vector<TreeFlow> flows_of_ranks = flows_of(topology, own);
      for (std::size_t t = 0; t < flows.size(); ++t) {
        EXPECT_EQ(flows[t].demand, flows_of_ranks[t].demand) << t;
        EXPECT_NEAR(flows[t].fill, flows_of_ranks[t].fill, 1e-9 * flows[t].fill) << t;
      }
      EXPECT_NEAR(run_flows(topology, plan).end / run_flows(topology, own).end, 1, 1e-12);
    }
  }
}

// Trees that cross one full link together are kept to its rate by it alone.
TEST(FlowRun, OneBottleneckStandsForAllLinksOfARing) {
  const Topology topology = load_config("configs/mesh.yaml").topology;
  CollectiveSpec spec;
  spec.collective = Collective::kAllReduce;
  spec.algorithm = "ring";
  spec.bytes = 1'000'000;
  spec.group = npus_left(topology);
  const Plan plan = make_plan(topology, {&spec, 1});
  const std::vector<TreeFlow> trees = flows_of(topology, plan);
  const std::vector<TreeFlow> alone = flows_of(topology, plan, true);
  const std::vector<double> expected = moved(topology, trees);
  const std::vector<double> found = moved(topology, alone);
  for (std::size_t t = 0; t < trees.size(); ++t) {
    EXPECT_EQ(alone[t].demand.uses.size(), 1U);
    EXPECT_NEAR(found[t], expected[t], 1e-9 * expected[t]);
  }
}

// Flits on every link equal the plan's flits and its acknowledgements.
TEST(FlowTraffic, IsThatOfThePlan) {
  for (const std::string machine : {"mesh", "torus", "fred_a", "fred_d", "mesh_reducing"}) {
    const Topology topology = load_config("configs/" + machine + ".yaml").topology;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      SCOPED_TRACE(machine + ", seed " + std::to_string(seed));
      Random random(seed);
      const CollectiveSpec spec =
          random_spec(random, static_cast<int>(topology.npus.size()), 1 << 20);
      Plan plan;
      try {
        plan = make_plan(topology, {&spec, 1});
      } catch (const Error&) {
        continue;
      }
      const FlowTraffic traffic = flow_traffic(topology, plan);
      const std::vector<std::uint64_t> flits = link_flits(topology, plan);
      std::uint64_t acknowledgements = 0;
      for (const std::uint64_t packets : traffic.acknowledgements) acknowledgements += packets;
      for (std::size_t l = 0; l < flits.size(); ++l) {
        EXPECT_GE(traffic.flits[l], flits[l]);
        if (acknowledgements == 0) {
          EXPECT_EQ(traffic.flits[l], flits[l]);
        }
        EXPECT_LE(traffic.bytes[l], traffic.flits[l] * kFlitBytes);
      }
      const FlowTimes times = run_flows(topology, plan);
      EXPECT_GE(times.end * (1 + 1e-9), bound_cycles(topology, plan.bound_ns));
    }
  }
}

}  // namespace
}  // namespace fredsim::test
