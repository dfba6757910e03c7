// SPDX-License-Identifier: Apache-2.0
// In-switch all-reduce: results of the programmed µSwitches of all chiplets.
#include "collective/in_switch_plan.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/random.h"
#include "fabrics.h"
#include "plan/link_load.h"
#include "plan_evaluator.h"
#include "systems/make_plan.h"

namespace fredsim {
namespace {

using test::first_ranks;

Plan in_switch_all_reduce(const Topology& topology, const std::vector<int>& group,
                          std::uint64_t flits) {
  return make_plan(topology, Collective::kAllReduce, group, flits * kFlitBytes, "auto");
}

TEST(InSwitchPlan, WholeWafer) {
  const Topology topology = test::fred_tree();
  const std::uint64_t flits = 5 * 6000;
  const Plan plan = in_switch_all_reduce(topology, first_ranks(20), flits);
  EXPECT_EQ(plan.parts[0].algorithm, "in_switch");
  ASSERT_EQ(plan.trees.size(), 5U);
  EXPECT_EQ(plan.programs.size(), 5U * (5 + 1));
  for (int s = 0; s < 5; ++s) {
    EXPECT_EQ(plan.trees[s].flits, 6000U);
    for (const TreeRank& rank : plan.trees[s].ranks) EXPECT_EQ(rank.switch_port, s);
  }
  test::expect_all_reduce(topology, plan);
  for (const std::uint64_t sent : test::flits_sent(plan)) EXPECT_EQ(sent, flits);
  // D / 3 TB/s.
  EXPECT_DOUBLE_EQ(plan.bound_ns,
                   static_cast<double>(flits) * kFlitBytes / test::kNpuBandwidth * 1e9);
}

TEST(InSwitchPlan, SixteenMebibytesMeetTheBound) {
  const double bytes = 16 * 1024 * 1024;
  const Plan plan = make_plan(test::fred_tree(), Collective::kAllReduce, first_ranks(20),
                              static_cast<std::uint64_t>(bytes), "in_switch");
  EXPECT_NEAR(plan.bound_ns, bytes / 3e12 * 1e9, 0.001 * plan.bound_ns);
}

// Reduce-scatters by `auto`: in the switches where their states recur, if endpoints are not faster
// by a tenth.
TEST(InSwitchPlan, LongReduceScattersRecur) {
  const auto plan = [](std::uint64_t bytes) {
    return make_plan(test::fred_tree(), Collective::kReduceScatter, first_ranks(20), bytes, "auto");
  };
  const Plan in_switches = plan(std::uint64_t{1} << 30);
  EXPECT_EQ(in_switches.parts[0].algorithm, "in_switch");
  EXPECT_EQ(std::ranges::count_if(in_switches.notes,
                                  [](const std::string& note) {
                                    return note.starts_with(
                                        "reduce_scatter in the switches, where its states recur; "
                                        "hier_ring is estimated to be ");
                                  }),
            1);
  const Plan at_endpoints = plan(kPacedAboveBytes);
  EXPECT_EQ(at_endpoints.parts[0].algorithm, "hier_ring");
  for (const std::string& note : at_endpoints.notes)
    EXPECT_EQ(note.find("recur"), std::string::npos) << note;
}

// Four groups of five, one member per L1 switch, and groups inside one L1 switch: same bound.
TEST(InSwitchPlan, Groups) {
  const Topology topology = test::fred_tree();
  const double bound = 1000.0 * kFlitBytes / 600e9 * 1e9;
  const Plan across = in_switch_all_reduce(topology, {2, 6, 10, 14, 18}, 5000);
  test::expect_all_reduce(topology, across);
  EXPECT_DOUBLE_EQ(across.bound_ns, bound);
  EXPECT_EQ(across.programs.size(), 5U * 6);
  const Plan inside = in_switch_all_reduce(topology, {5, 4, 7}, 5000);
  test::expect_all_reduce(topology, inside);
  EXPECT_DOUBLE_EQ(inside.bound_ns, bound);
  EXPECT_EQ(inside.programs.size(), 5U);
  for (const PhaseProgram& program : inside.programs) {
    EXPECT_EQ(topology.nodes[program.node].level, 1);
    EXPECT_EQ(phase_flows(test::fred_shape(topology, program.node), program.row),
              (std::vector<Flow>{{0b1011, 0b1011}}));
  }
}

TEST(InSwitchPlan, RandomGroupsOnRandomPortOrders) {
  const Topology wafer = test::fred_tree();
  const Topology other = test::fred_tree({.l1_switches = 3,
                                          .npus_per_l1 = 7,
                                          .slices = 4,
                                          .uplinks = 3,
                                          .l2_chiplets_per_slice = 1,
                                          .uplink_bandwidth = 1'200'000'000'000});
  for (std::uint64_t seed = 0; seed < 80; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const Topology topology = test::with_shuffled_ports(seed % 2 == 0 ? wafer : other, seed);
    std::vector<int> group = first_ranks(static_cast<int>(topology.npus.size()));
    for (std::size_t i = group.size() - 1; i > 0; --i)
      std::swap(group[i], group[random.below(i + 1)]);
    group.resize(1 + random.below(group.size()));
    test::expect_all_reduce(topology, in_switch_all_reduce(topology, group, 1 + random.below(50)));
  }
}

// All L1 chiplets of a slice go up to the same L2 chiplet, by the same uplink in every slice.
TEST(InSwitchPlan, SlicesTakeTheSameUplinks) {
  const Topology topology = test::fred_tree();
  const Plan plan = in_switch_all_reduce(topology, first_ranks(20), 500);
  std::map<int, std::set<NodeId>> l2_of_slice;
  std::set<int> uplinks;
  std::set<std::string> columns;
  for (const PhaseProgram& program : plan.programs) {
    const Node& node = topology.nodes[program.node];
    if (node.level == 2) {
      l2_of_slice[node.slice].insert(program.node);
      columns.insert(node.name.substr(node.name.find(".c")));
      continue;
    }
    const std::vector<Flow> flows =
        phase_flows(test::fred_shape(topology, program.node), program.row);
    ASSERT_EQ(flows.size(), 2U);
    EXPECT_EQ(flows[0].inputs, 0b1111U);
    EXPECT_EQ(flows[1].outputs, 0b1111U);
    EXPECT_EQ(flows[0].outputs, flows[1].inputs);
    EXPECT_EQ(flows[0].outputs, 1U << 4);
    uplinks.insert(static_cast<int>(flows[0].outputs));
  }
  for (const auto& [slice, chiplets] : l2_of_slice) EXPECT_EQ(chiplets.size(), 1U) << slice;
  EXPECT_EQ(uplinks.size(), 1U);
  EXPECT_EQ(columns.size(), 1U);
}

// Every member's port carries the share up and down, every used uplink too, nothing else anything.
TEST(InSwitchPlan, LinkFlits) {
  const Topology topology = test::fred_tree();
  const Plan plan = in_switch_all_reduce(topology, first_ranks(20), 5 * 100);
  const std::vector<std::uint64_t> flits = link_flits(topology, plan);
  int npu_links = 0;
  int uplinks = 0;
  for (std::size_t l = 0; l < flits.size(); ++l) {
    if (flits[l] == 0) continue;
    EXPECT_EQ(flits[l], 100U);
    const Link& link = topology.links[l];
    const int levels = topology.nodes[link.from].level + topology.nodes[link.to].level;
    if (levels == 1) ++npu_links;
    if (levels == 3) ++uplinks;
  }
  EXPECT_EQ(npu_links, 2 * 20 * 5);
  EXPECT_EQ(uplinks, 2 * 5 * 5);
}

// A slow uplink is the bound: Fred-B, 1.5 TB/s per L1 switch over 5 × 1 uplinks.
TEST(InSwitchPlan, SlowUplinkIsTheBound) {
  const Topology topology = test::fred_tree(
      {.uplinks = 1, .l2_chiplets_per_slice = 1, .uplink_bandwidth = 1'500'000'000'000});
  const Plan plan = in_switch_all_reduce(topology, first_ranks(20), 5000);
  EXPECT_DOUBLE_EQ(plan.bound_ns, 5000.0 * kFlitBytes / 1.5e12 * 1e9);
}

// A packet comes back after three links up and three down; the window covers the packets that its
// links carry meanwhile. Wires of 20 ns need only the minimum, 64.
TEST(InSwitchPlan, WindowCoversTheRoundTrip) {
  const auto window = [](const Topology& topology) {
    return in_switch_all_reduce(topology, first_ranks(64), 5 * 6000).parts[0].window;
  };
  const Topology long_wires = test::three_level_tree(100'000);
  const Link& link = long_wires.links[0];
  ASSERT_EQ(link.latency, 150);
  EXPECT_GE(window(long_wires) * kPacketFlits, 2 * 3 * link.latency * link.flit_rate().value());
  EXPECT_EQ(window(test::three_level_tree(20'000)), 64);
}

TEST(InSwitchPlan, ShortVectorsUseFewerSlices) {
  const Topology topology = test::fred_tree();
  for (std::uint64_t flits = 1; flits <= 12; ++flits) {
    const Plan plan = in_switch_all_reduce(topology, first_ranks(20), flits);
    EXPECT_EQ(plan.trees.size(), std::min<std::uint64_t>(flits, 5));
    EXPECT_EQ(plan.programs.size(), 6 * plan.trees.size());
    test::expect_all_reduce(topology, plan);
  }
}

}  // namespace
}  // namespace fredsim
