// SPDX-License-Identifier: Apache-2.0
// One slice for all equal ones (operations/equal_slices.h): the report must equal the report of a
// run of all slices, to the cycle, flit and stall. Random trees, groups and sizes, from seeds.

#include "operations/equal_slices.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/member.h"
#include "base/random.h"
#include "config/config.h"
#include "engine/machine.h"
#include "engine/plan_run.h"
#include "engine/work_run.h"
#include "support/comparable_results.h"
#include "support/random_range.h"
#include "support/simulation.h"
#include "systems/make_plan.h"

namespace fredsim::test {
namespace {

std::vector<int> all_npus(const Topology& topology) {
  std::vector<int> group(topology.npus.size());
  for (std::size_t rank = 0; rank < group.size(); ++rank) group[rank] = static_cast<int>(rank);
  return group;
}

int simulated(const Topology& topology, const std::vector<int>& group, std::uint64_t bytes) {
  const Plan plan = make_plan(topology, Collective::kAllReduce, group, bytes, "auto");
  return static_cast<int>(find_equal_slices(topology, plan).simulated(plan).trees.size());
}

TEST(EqualSlices, OneStandsForAllThatCarryAsMuch) {
  const Topology fred = load_config("configs/fred_d.yaml").topology;
  const std::vector<int> all = all_npus(fred);
  EXPECT_EQ(simulated(fred, all, 5 * 512), 1);
  EXPECT_EQ(simulated(fred, all, 100 * 512), 1);
  EXPECT_EQ(simulated(fred, all, 101 * 512), 2);        // one slice has a flit more
  EXPECT_EQ(simulated(fred, all, 100 * 512 - 1), 2);    // the last flit is short
  EXPECT_EQ(simulated(fred, {0, 1, 2}, 100 * 512), 1);  // one L1 switch, no uplink
  EXPECT_EQ(simulated(fred, {3, 4}, 100 * 512), 1);
  EXPECT_EQ(simulated(fred, all, 1), 1);
}

TEST(EqualSlices, UnequalSlicesAreAllSimulated) {
  Topology fred = load_config("configs/fred_d.yaml").topology;
  const std::vector<int> all = all_npus(fred);
  // One link of slice 2 is slower: an uplink that the slice uses.
  for (Link& link : fred.links) {
    if (fred.nodes[link.from].name == "npu7" && link.from_port == 2) link.latency = 31;
  }
  fred.index_ports();
  EXPECT_EQ(simulated(fred, all, 100 * 512), 2);
}

TEST(EqualSlices, PlansAtTheEndpointsStayWhole) {
  const Topology mesh = load_config("configs/mesh.yaml").topology;
  const Plan plan = make_plan(mesh, Collective::kAllReduce, all_npus(mesh), 100 * 512, "auto");
  EXPECT_EQ(find_equal_slices(mesh, plan).simulated(plan).trees.size(), plan.trees.size());
}

// Up to five slices of different rates, latencies and sizes.
std::vector<std::string> random_tree(Random& random) {
  const auto pick = [&](int min, int max) { return random_between(random, min, max); };
  const int l1 = pick(2, 5), npus = pick(1, 5), slices = pick(2, 5), per_l2 = pick(1, 2),
            l2 = pick(1, 3);
  return {fmt::format("npu.count={}", l1 * npus),
          fmt::format("npu.bandwidth={} GB/s", slices * pick(100, 760)),
          fmt::format("io.count={}", pick(0, 9)),
          fmt::format("io.bandwidth={} GB/s", 10 * slices),
          fmt::format("fabric.l1_switches={}", l1),
          fmt::format("fabric.npus_per_l1={}", npus),
          fmt::format("fabric.slices={}", slices),
          fmt::format("fabric.uplinks={}", l2 * per_l2),
          fmt::format("fabric.l2_chiplets_per_slice={}", l2),
          fmt::format("fabric.middle={}", pick(2, 4)),
          fmt::format("fabric.uplink_bandwidth={} GB/s", slices * l2 * per_l2 * pick(100, 760)),
          fmt::format("fabric.link_latency={} ns", pick(1, 40))};
}

constexpr std::array kCollectives{Collective::kAllReduce, Collective::kReduce,
                                  Collective::kMulticast, Collective::kReduceScatter,
                                  Collective::kAllGather, Collective::kAllToAll,
                                  Collective::kScatter,   Collective::kBroadcast};

struct TwoWays {
  Topology distinct, whole;  // one machine: `distinct` omits equal slices, `whole` simulates all
};
TwoWays random_machine(Random& random, bool in_switch) {
  std::vector<std::string> shape = random_tree(random);
  shape.emplace_back(fmt::format("fabric.in_switch={}", in_switch ? "true" : "false"));
  Topology distinct = load_config("configs/fred_d.yaml", shape).topology;
  shape.emplace_back("fabric.simulate_slices=all");
  return {std::move(distinct), load_config("configs/fred_d.yaml", shape).topology};
}

// Some of the NPUs, in any order.
std::vector<int> random_members(Random& random, const Topology& topology) {
  std::vector<int> group = all_npus(topology);
  for (std::size_t i = group.size() - 1; i > 0; --i)
    std::swap(group[i], group[random.below(i + 1)]);
  group.resize(2 + random.below(group.size() - 1));
  return group;
}

// Bytes that the slices share evenly, or do not.
std::uint64_t random_bytes(Random& random, const Topology& topology) {
  if (random.below(2) == 0) return 1 + random.below(200'000);
  return static_cast<std::uint64_t>(topology.slices) * kFlitBytes * (1 + random.below(60));
}

class EqualSlicesRun : public testing::TestWithParam<std::uint64_t> {};

TEST_P(EqualSlicesRun, GivesWhatAllSlicesGive) {
  SCOPED_TRACE(fmt::format("seed {}", GetParam()));
  Random random(GetParam());
  const TwoWays machine = random_machine(random, GetParam() % 2 == 0);
  const Topology& distinct = machine.distinct;
  Simulation simulation;
  Machine some("some", distinct, {});
  Machine all("all", machine.whole, {});
  simulation.run([&] {
    for (int run = 0; run < 4; ++run) {
      const std::vector<int> group = random_members(random, distinct);
      const std::uint64_t bytes = random_bytes(random, distinct);
      CollectiveSpec spec;
      spec.collective = kCollectives[random.below(kCollectives.size())];
      spec.root = static_cast<int>(random.below(group.size()));
      spec.group = group;
      spec.bytes = bytes;
      const Plan plan = make_plan(distinct, {&spec, 1});
      const RunResult reduced = run_plan(some, plan);
      const RunResult complete = run_plan(all, plan);
      EXPECT_EQ(comparable_results(reduced), comparable_results(complete)) << bytes << " bytes";
      EXPECT_EQ(reduced.delivered_bytes, complete.delivered_bytes);
      EXPECT_EQ(complete.slices_simulated, complete.slices);
      EXPECT_EQ(reduced.slices, complete.slices);
      EXPECT_EQ(complete.equal_slices_flit_hops, 0U);
      if (reduced.slices_simulated == 1) {  // all do the same
        const auto slices = static_cast<std::uint64_t>(reduced.slices);
        EXPECT_EQ(reduced.equal_slices_flit_hops * slices, reduced.flit_hops * (slices - 1));
      }
      // Slices have a flit more or less, and the last one may be short.
      if (distinct.in_switch && spec.collective == Collective::kAllReduce) {
        EXPECT_LE(reduced.slices_simulated, 3);
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Seeds, EqualSlicesRun, testing::Range<std::uint64_t>(1, 31));

std::vector<std::string> packets_of(const RunResult& result) {
  std::vector<std::string> lines;
  for (const LatencyBreakdown& of : result.breakdowns) {
    lines.push_back(fmt::format("{}: {} packets, {:.6f}, {}, {}, {}", of.work, of.packets,
                                of.latency.mean, of.latency.p50, of.latency.p99, of.latency.max));
    for (const BreakdownStage& stage : of.stages) {
      for (const BreakdownCause& cause : stage.causes)
        lines.push_back(fmt::format("{}, {}: {}", stage.name, cause.name, cause.total));
    }
  }
  return lines;
}

// Works of several concurrent and sequential operations, with rows that overwrite each other.
class EqualSlicesWork : public testing::TestWithParam<std::uint64_t> {};

TEST_P(EqualSlicesWork, GivesWhatAllSlicesGive) {
  SCOPED_TRACE(fmt::format("seed {}", GetParam()));
  Random random(GetParam());
  const TwoWays machine = random_machine(random, GetParam() % 2 == 0);
  const Topology& distinct = machine.distinct;
  Simulation simulation;
  const bool has_breakdown = GetParam() % 3 == 0;
  Machine some("some", distinct, {.breakdown = {.is_on = has_breakdown}});
  Machine all("all", machine.whole, {.breakdown = {.is_on = has_breakdown}});
  int left_out = 0;
  simulation.run([&] {
    for (int run = 0; run < 3; ++run) {
      std::vector<WorkStep> steps(2 + random.below(3));
      for (std::size_t s = 0; s < steps.size(); ++s) {
        CollectiveSpec& spec = steps[s].specs.emplace_back();
        spec.collective = kCollectives[random.below(kCollectives.size())];
        spec.group = random_members(random, distinct);
        spec.bytes = random.below(3) == 0 ? random_bytes(random, distinct)
                                          : static_cast<std::uint64_t>(distinct.slices) *
                                                kFlitBytes * (1 + random.below(40));
        spec.vc = std::array{kMp, kPp, kDp}[random.below(3)];
        spec.root = static_cast<int>(random.below(spec.group.size()));
        steps[s].repeat = 1 + random.below(2) * random.below(12);
        steps[s].delay = random.below(2) * random.below(400);
        if (s > 0 && random.below(2) == 0)
          steps[s].after.push_back({.step = static_cast<int>(random.below(s))});
      }
      const WorkPlan work = plan_steps(distinct, steps, OnConflict::kLater);
      std::size_t rows = 0;
      for (const WorkPlan::Batch& batch : work.batches)
        rows = std::max(rows, batch.plan->rows.size());
      const int store = random.below(2) == 0 ? 0 : static_cast<int>(rows);
      const RunResult reduced = run_work(some, work, {}, store);
      const RunResult complete = run_work(all, work, {}, store);
      EXPECT_EQ(results_and_parts(reduced), results_and_parts(complete));
      EXPECT_EQ(reduced.operations->rows.words_written, complete.operations->rows.words_written);
      EXPECT_EQ(complete.slices_simulated, complete.slices);
      EXPECT_EQ(packets_of(reduced), packets_of(complete));
      left_out += complete.slices - reduced.slices_simulated;
    }
  });
  RecordProperty("slices_left_out", left_out);
}

INSTANTIATE_TEST_SUITE_P(Seeds, EqualSlicesWork, testing::Range<std::uint64_t>(1, 21));

// A single slice is simulated if nothing keeps them apart, of streams of I/O controllers and
// several groups, too.
TEST(EqualSlices, OneStandsForAllOfAWork) {
  const Topology fred = load_config("configs/fred_d.yaml").topology;
  std::vector<int> everybody = all_npus(fred);
  for (int io = 0; io < 18; ++io) everybody.insert(everybody.begin() + io, io_member(io));
  CollectiveSpec stream;
  stream.collective = Collective::kMulticast;
  stream.group = everybody;
  stream.roots = 18;
  stream.bytes = 18 * 5 * 4096;
  CollectiveSpec pair;
  pair.group = {0, 1};
  pair.bytes = 5 * 4096;
  CollectiveSpec other = pair;
  other.group = {2, 3};
  const std::vector<WorkStep> steps{{.name = "stream", .specs = {stream}, .after = {}},
                                    {.name = "mp", .specs = {pair, other}, .after = {{0}}}};
  Simulation simulation;
  Machine machine("machine", fred, {});
  simulation.run([&] {
    const RunResult result = run_work(machine, plan_steps(fred, steps, OnConflict::kRefuse));
    EXPECT_EQ(result.slices, 5);
    EXPECT_EQ(result.slices_simulated, 1);
  });
}

}  // namespace
}  // namespace fredsim::test
