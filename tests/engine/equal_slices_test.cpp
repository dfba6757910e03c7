// One slice for all that do the same (collective/equal_slices.h): what is reported must be what a run of all
// slices reports, to the cycle, flit and stall. Random trees, groups and sizes, from seeds.

#include "collective/equal_slices.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/random.h"
#include "config/config.h"
#include "engine/comparable_results.h"
#include "engine/machine.h"
#include "fabric/simulation.h"

namespace fredsim::test {
namespace {

std::vector<int> everyone(const Topology& topology) {
  std::vector<int> group(topology.npus.size());
  for (std::size_t rank = 0; rank < group.size(); ++rank) group[rank] = static_cast<int>(rank);
  return group;
}

int simulated(const Topology& topology, const std::vector<int>& group, std::uint64_t bytes) {
  const Plan plan = make_plan(topology, Collective::kAllReduce, group, bytes, "auto");
  return static_cast<int>(find_equal_slices(topology, plan).plan.trees.size());
}

TEST(EqualSlices, OneStandsForAllThatCarryAsMuch) {
  const Topology fred = load_config("configs/fred_d.yaml").topology;
  const std::vector<int> all = everyone(fred);
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
  const std::vector<int> all = everyone(fred);
  // One link of slice 2 is slower: an uplink that the slice uses.
  for (Link& link : fred.links) {
    if (fred.nodes[link.from].name == "npu7" && link.from_port == 2) link.latency = 31;
  }
  fred.index_ports();
  EXPECT_EQ(simulated(fred, all, 100 * 512), 2);
}

TEST(EqualSlices, PlansAtTheEndpointsStayWhole) {
  const Topology mesh = load_config("configs/mesh.yaml").topology;
  const Plan plan = make_plan(mesh, Collective::kAllReduce, everyone(mesh), 100 * 512, "auto");
  EXPECT_EQ(find_equal_slices(mesh, plan).plan.trees.size(), plan.trees.size());
}

class EqualSlicesRun : public testing::TestWithParam<std::uint64_t> {};

TEST_P(EqualSlicesRun, GivesWhatAllSlicesGive) {
  SCOPED_TRACE(fmt::format("seed {}", GetParam()));
  Random random(GetParam());
  const auto pick = [&](std::uint64_t least, std::uint64_t most) {
    return least + random.below(most - least + 1);
  };
  const std::uint64_t l1 = pick(2, 5), npus = pick(1, 5), slices = pick(2, 5), per_l2 = pick(1, 2),
                      l2 = pick(1, 3);
  std::vector<std::string> shape{
      fmt::format("npu.count={}", l1 * npus),
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
  const Topology distinct = load_config("configs/fred_d.yaml", shape).topology;
  shape.emplace_back("fabric.simulate_slices=all");
  const Topology whole = load_config("configs/fred_d.yaml", shape).topology;
  Simulation simulation;
  Machine some("some", distinct, {});
  Machine all("all", whole, {});
  simulation.run([&] {
    for (int run = 0; run < 4; ++run) {
      std::vector<int> group = everyone(distinct);
      for (std::size_t i = group.size() - 1; i > 0; --i) {
        std::swap(group[i], group[random.below(i + 1)]);
      }
      group.resize(2 + random.below(group.size() - 1));
      const std::uint64_t bytes =
          random.below(2) == 0 ? pick(1, 200'000) : slices * kFlitBytes * pick(1, 60);
      constexpr Collective kCollectives[] = {Collective::kAllReduce, Collective::kReduce,
                                             Collective::kMulticast, Collective::kReduceScatter};
      CollectiveSpec spec;
      spec.collective = kCollectives[random.below(4)];
      spec.root = static_cast<int>(random.below(group.size()));
      spec.group = group;
      spec.bytes = bytes;
      const Plan plan = make_plan(distinct, {&spec, 1});
      const RunResult reduced = some.run(plan);
      const RunResult complete = all.run(plan);
      EXPECT_EQ(comparable_results(reduced), comparable_results(complete)) << bytes << " bytes";
      EXPECT_EQ(reduced.delivered_bytes, complete.delivered_bytes);
      EXPECT_EQ(complete.slices_simulated, complete.slices);
      EXPECT_EQ(reduced.slices, complete.slices);
      // Slow uplinks take several trees per slice; then all slices are simulated.
      const bool one_tree_each = std::ssize(plan.trees) == complete.slices;
      EXPECT_LE(reduced.slices_simulated, one_tree_each ? 3 : complete.slices);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Seeds, EqualSlicesRun, testing::Range<std::uint64_t>(1, 31));

}  // namespace
}  // namespace fredsim::test
