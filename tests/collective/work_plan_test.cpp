// SPDX-License-Identifier: Apache-2.0
// Plans of any collectives on any groups, several at once: their deliveries, and their behaviour if
// the switches cannot route groups together.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "base/error.h"
#include "fabrics.h"
#include "plan/link_load.h"
#include "plan_evaluator.h"
#include "support/collective_specs.h"
#include "support/random_work.h"
#include "systems/make_plan.h"

namespace fredsim {
namespace {

using test::spec_of;

constexpr test::TreeSize kFredB{.uplink_bandwidth = 1'500'000'000'000};

std::vector<CollectiveSpec> groups_of(const std::vector<std::vector<int>>& groups) {
  std::vector<CollectiveSpec> work;
  work.reserve(groups.size());
  for (const auto& group : groups) work.push_back(spec_of(Collective::kAllReduce, group, 100'000));
  return work;
}

int phases_of(const Plan& plan) {
  std::set<int> phases;
  for (const PhaseProgram& program : plan.programs) phases.insert(program.phase);
  return static_cast<int>(phases.size());
}

std::vector<Topology> fabrics(std::uint64_t seed) {
  return {test::mesh(4, 3),
          test::mesh(3, 1),
          test::fred_tree(),
          test::fred_tree({}, false),
          test::with_shuffled_ports(test::fred_tree(kFredB), seed),
          test::fred_tree({.l1_switches = 3,
                           .npus_per_l1 = 5,
                           .slices = 4,
                           .uplinks = 3,
                           .l2_chiplets_per_slice = 1,
                           .uplink_bandwidth = 900'000'000'000})};
}

TEST(WorkPlan, RandomWorksDeliverWhatTheyMust) {
  int refused = 0;
  int accepted = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    for (const Topology& topology : fabrics(seed)) {
      SCOPED_TRACE(fmt::format("seed {}, {}", seed, topology.name));
      const std::vector<CollectiveSpec> work =
          test::random_work(random, static_cast<int>(topology.npus.size()), 4, 60'000);
      const auto on_conflict = static_cast<OnConflict>(random.below(3));
      try {
        const Plan plan = make_plan(topology, work, on_conflict);
        test::expect_plan(topology, work, plan);
        ++accepted;
      } catch (const RoutingConflict& conflict) {
        EXPECT_NE(std::string(conflict.what()).find("group "), std::string::npos);
        EXPECT_NE(on_conflict, OnConflict::kUnicast);
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 0);
  EXPECT_GT(accepted, 200);
}

// Ten groups inside the L1 switches, or four across them: one phase, and the bound of one group.
TEST(WorkPlan, GroupsThatFitTogetherShareAPhase) {
  const Topology topology = test::fred_tree();
  std::vector<std::vector<int>> pairs;
  std::vector<std::vector<int>> columns(4);
  for (int i = 0; i < 20; i += 2) pairs.push_back({i, i + 1});
  for (int i = 0; i < 4; ++i) columns[i] = {i, i + 4, i + 8, i + 12, i + 16};
  for (const auto& groups : {pairs, columns}) {
    const std::vector<CollectiveSpec> work = groups_of(groups);
    const Plan plan = make_plan(topology, work);
    test::expect_plan(topology, work, plan);
    EXPECT_EQ(phases_of(plan), 1);
    EXPECT_DOUBLE_EQ(plan.bound_ns, plan.parts.front().bound_ns);
  }
}

TEST(WorkPlan, PrioritiesHavePhasesOfTheirOwn) {
  const Topology topology = test::fred_tree();
  const std::vector<int> all = test::first_ranks(20);
  const std::vector<CollectiveSpec> work{spec_of(Collective::kAllReduce, all, 10'000, {.vc = kMp}),
                                         spec_of(Collective::kAllReduce, all, 10'000, {.vc = kPp}),
                                         spec_of(Collective::kAllReduce, all, 10'000, {.vc = kDp})};
  const Plan plan = make_plan(topology, work);
  test::expect_plan(topology, work, plan);
  EXPECT_EQ(phases_of(plan), 3);
}

TEST(WorkPlan, OverlappingGroupsOfOneChannelAreAConflict) {
  const Topology topology = test::fred_tree();
  const std::vector<CollectiveSpec> work = groups_of({{0, 1}, {4, 5}, {1, 5, 9}});
  try {
    make_plan(topology, work);
    FAIL() << "accepted";
  } catch (const RoutingConflict& conflict) {
    for (const char* word : {"group 0,1 ", "group 1,5,9 ", "npu1"})
      EXPECT_NE(std::string(conflict.what()).find(word), std::string::npos) << conflict.what();
  }
  const Plan later = make_plan(topology, work, OnConflict::kLater);
  test::expect_plan(topology, work, later);
  EXPECT_TRUE(later.parts[1].after.empty());
  EXPECT_EQ(later.parts[2].after, (std::vector<int>{0, 1}));
  const Plan unicast = make_plan(topology, work, OnConflict::kUnicast);
  test::expect_plan(topology, work, unicast);
  EXPECT_EQ(unicast.parts[1].algorithm, "in_switch");
  EXPECT_NE(unicast.parts[2].algorithm, "in_switch");
  EXPECT_EQ(unicast.notes.size(), 1U);
}

// Sequential collectives share the phase of the first one: any number of them fits in a store.
TEST(WorkPlan, EqualGroupsThatWaitShareAPhase) {
  const Topology topology = test::fred_tree();
  std::vector<std::vector<int>> equal(30, {0, 1});
  const Plan plan = make_plan(topology, groups_of(equal), OnConflict::kLater);
  test::expect_plan(topology, groups_of(equal), plan);
  EXPECT_EQ(phases_of(plan), 1);
  EXPECT_TRUE(plan.notes.empty());
  for (const Part& part : plan.parts) EXPECT_EQ(part.algorithm, "in_switch");
  EXPECT_EQ(plan.parts[29].after, (std::vector<int>{28}));
  // Two kinds in turn: a phase each.
  for (std::size_t i = 1; i < equal.size(); i += 2) equal[i] = {1, 5, 9};
  const Plan two = make_plan(topology, groups_of(equal), OnConflict::kLater);
  test::expect_plan(topology, groups_of(equal), two);
  EXPECT_EQ(phases_of(two), 2);
}

// Five groups across all L1 switches of five NPUs and four uplinks.
TEST(WorkPlan, MoreGroupsThanUplinksAreAConflict) {
  const Topology topology = test::fred_tree({.npus_per_l1 = 5});
  std::vector<std::vector<int>> columns(5);
  for (int i = 0; i < 5; ++i) columns[i] = {i, i + 5, i + 10, i + 15, i + 20};
  EXPECT_THROW(make_plan(topology, groups_of(columns)), RoutingConflict);
  const Plan later = make_plan(topology, groups_of(columns), OnConflict::kLater);
  EXPECT_EQ(later.parts[4].after, (std::vector<int>{0, 1, 2, 3}));
}

// Fred-B: a group alone has all uplinks, four groups have one each.
TEST(WorkPlan, SlowUplinksAreSharedOut) {
  const Topology topology = test::fred_tree(kFredB);
  const std::vector<int> all = test::first_ranks(20);
  const std::uint64_t bytes = 600 * 5 * kFlitBytes;
  for (const Collective collective : {Collective::kAllReduce, Collective::kReduceScatter}) {
    std::vector<CollectiveSpec> work{spec_of(collective, all, bytes)};
    work[0].algorithm = "in_switch";
    const Plan plan = make_plan(topology, work);
    test::expect_plan(topology, work, plan);
    EXPECT_NEAR(plan.bound_ns, static_cast<double>(bytes) / 1.5e12 * 1e9, 0.05 * plan.bound_ns);
  }
  std::vector<CollectiveSpec> columns;
  columns.reserve(4);
  for (int i = 0; i < 4; ++i)
    columns.push_back(spec_of(Collective::kAllReduce, {i, i + 4, i + 8, i + 12, i + 16}, bytes));
  const Plan plan = make_plan(topology, columns);
  EXPECT_DOUBLE_EQ(plan.bound_ns, static_cast<double>(bytes) / 375e9 * 1e9);
}

// Bounds that follow from the paper's bandwidths: Fred-A crosses L2 with 0.4 D at 375 GB/s, Fred-C
// sends 1.9 D at 3 TB/s.
TEST(WorkPlan, EndpointAllReduceOfTheWaferMeetsTheCountedBounds) {
  const std::vector<int> all = test::first_ranks(20);
  const std::uint64_t bytes = std::uint64_t{2000} * 100 * kFlitBytes;
  const Plan a =
      make_plan(test::fred_tree(kFredB, false), Collective::kAllReduce, all, bytes, "paper");
  EXPECT_EQ(a.parts[0].algorithm, "hier_ring");
  EXPECT_NEAR(a.bound_ns, 0.4 * static_cast<double>(bytes) / 375e9 * 1e9, 0.01 * a.bound_ns);
  const Plan c = make_plan(test::fred_tree({}, false), Collective::kAllReduce, all, bytes, "paper");
  EXPECT_NEAR(c.bound_ns, 1.9 * static_cast<double>(bytes) / 3e12 * 1e9, 0.01 * c.bound_ns);
}

// Three levels, wired by hand: 2 pods of 2 L1 switches of 2 NPUs, one slice. Every chiplet has two
// ports down and two up; an L2 switch is two chiplets, one for each uplink number of its L1
// switches.
Topology three_levels() {
  Topology topology;
  topology.name = "three_levels";
  topology.clock_hz = 1'500'000'000;
  topology.slices = 1;
  topology.in_switch = true;
  const auto add = [&](NodeKind kind, int level, int ports) {
    Node node{};
    node.kind = kind;
    node.name = fmt::format("n{}", topology.nodes.size());
    node.level = level;
    node.ports = ports;
    node.address = static_cast<std::uint16_t>(topology.nodes.size());
    if (node.is_switch()) {
      node.switch_kind = "fred";
      node.values = {{"P", ports}, {"M", 3}};
    }
    topology.nodes.push_back(node);
    return static_cast<NodeId>(topology.nodes.size()) - 1;
  };
  const auto connect = [&](NodeId a, int a_port, NodeId b, int b_port) {
    for (const auto& [from, from_port, to, to_port] :
         {std::tuple(a, a_port, b, b_port), std::tuple(b, b_port, a, a_port)}) {
      topology.links.push_back({fmt::format("{}.{}", from, from_port), from, from_port, to, to_port,
                                Rational{1, 1}, 30, 768'000'000'000, false});
    }
  };
  for (int i = 0; i < 8; ++i) topology.npus.push_back(add(NodeKind::kNpu, 0, 1));
  std::vector<NodeId> l1(4);
  std::vector<NodeId> l2(4);
  std::vector<NodeId> l3(2);
  for (NodeId& node : l1) node = add(NodeKind::kSwitch, 1, 4);
  for (NodeId& node : l2) node = add(NodeKind::kSwitch, 2, 4);
  for (NodeId& node : l3) node = add(NodeKind::kSwitch, 3, 4);
  for (int i = 0; i < 8; ++i) connect(topology.npus[i], 0, l1[i / 2], i % 2);
  for (int i = 0; i < 4; ++i) {
    for (int u = 0; u < 2; ++u) {
      connect(l1[i], 2 + u, l2[i / 2 * 2 + u], i % 2);
      connect(l2[i], 2 + u, l3[i % 2], i / 2 * 2 + u);
    }
  }
  topology.index_ports();
  return topology;
}

TEST(WorkPlan, InSwitchOnThreeLevels) {
  const Topology topology = three_levels();
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    for (const Collective collective :
         {Collective::kAllReduce, Collective::kReduceScatter, Collective::kAllGather,
          Collective::kReduce, Collective::kBroadcast}) {
      CollectiveSpec spec = spec_of(collective, test::random_group(random, 8), 10'000);
      spec.root = static_cast<int>(random.below(spec.group.size()));
      spec.algorithm = "paper";
      const Plan plan = make_plan(topology, {&spec, 1});
      test::expect_plan(topology, {&spec, 1}, plan);
      EXPECT_EQ(plan.parts[0].algorithm, "in_switch");
    }
  }
  // Two groups over all L1 switches: each has an uplink of every switch, and they never collide.
  const std::vector<CollectiveSpec> work = groups_of({{0, 2, 4, 6}, {1, 3, 5, 7}});
  test::expect_plan(topology, work, make_plan(topology, work));
}

// More owners than a chiplet has phases: at the endpoints, and the plan says so.
TEST(WorkPlan, StepsBeyondThePhaseStoreRunAtTheEndpoints) {
  const Topology topology = test::fred_tree({.l1_switches = 3, .npus_per_l1 = 10});
  std::vector<CollectiveSpec> work{
      spec_of(Collective::kReduceScatter, test::first_ranks(30), 100'000)};
  work[0].algorithm = "paper";
  const Plan plan = make_plan(topology, work);
  test::expect_plan(topology, work, plan);
  EXPECT_EQ(plan.parts[0].algorithm, "hier_ring");
  ASSERT_EQ(plan.notes.size(), 2U);
  EXPECT_NE(plan.notes[0].find("phases"), std::string::npos);
  EXPECT_EQ(
      plan.notes[1],
      "hier_ring: across L1 switches on virtual channel mp, inside them sums on pp, results on dp");
  work[0].algorithm = "in_switch";
  EXPECT_THROW(make_plan(topology, work), BadInput);
}

// Beside a part of another priority two channels are left: which way they are used depends on the
// uplinks.
TEST(WorkPlan, RingsBesideAHigherPriorityKeepTwoChannels) {
  for (const bool slow : {false, true}) {
    const Topology topology = test::fred_tree(slow ? kFredB : test::TreeSize{}, false);
    std::vector<CollectiveSpec> work{
        spec_of(Collective::kAllReduce, test::first_ranks(20), 100'000),
        spec_of(Collective::kAllReduce, {0, 1}, 10'000, {.vc = kMp})};
    for (CollectiveSpec& spec : work) spec.algorithm = "paper";
    const Plan plan = make_plan(topology, work);
    test::expect_plan(topology, work, plan);
    EXPECT_EQ(plan.notes,
              std::vector<std::string>{fmt::format(
                  "hier_ring: across L1 switches on virtual channel pp, inside them sums on {}, "
                  "results on dp",
                  slow ? "dp" : "pp")});
  }
}

// Blocks in bytes: the smallest sizes there are.
TEST(WorkPlan, BlocksOfAnyBytes) {
  for (const Topology& topology :
       {test::mesh(4, 3), test::fred_tree(), test::fred_tree({}, false)}) {
    for (const Collective collective :
         {Collective::kReduceScatter, Collective::kAllGather, Collective::kGather,
          Collective::kScatter, Collective::kAllToAll}) {
      for (const std::uint64_t bytes :
           {1, 2, 11, 12, 13, 511, 512 * 12 - 1, 512 * 12, 512 * 12 + 1}) {
        SCOPED_TRACE(fmt::format("{} {} {}", topology.name, to_string(collective), bytes));
        const std::vector<CollectiveSpec> work{spec_of(collective, test::first_ranks(12), bytes)};
        test::expect_plan(topology, work, make_plan(topology, work));
      }
    }
  }
}

}  // namespace
}  // namespace fredsim
