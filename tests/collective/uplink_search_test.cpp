// SPDX-License-Identifier: Apache-2.0
// The planner's search over uplinks against trying everything, on trees small enough for that.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/random.h"
#include "fabrics.h"
#include "plan_evaluator.h"
#include "routing_oracle.h"
#include "systems/make_plan.h"

namespace fredsim {
namespace {

using test::Routability;

// Uplinks in pairs on a µSwitch and across two; one and two L2 chiplets.
constexpr std::array kTrees{
    test::TreeSize{.l1_switches = 3, .npus_per_l1 = 4, .uplinks = 2, .l2_chiplets_per_slice = 1},
    test::TreeSize{.l1_switches = 3, .npus_per_l1 = 4, .uplinks = 4, .l2_chiplets_per_slice = 2},
    test::TreeSize{.l1_switches = 3, .npus_per_l1 = 3, .uplinks = 3, .l2_chiplets_per_slice = 1},
    test::TreeSize{.l1_switches = 4, .npus_per_l1 = 3, .uplinks = 4, .l2_chiplets_per_slice = 2},
    test::TreeSize{.l1_switches = 3, .npus_per_l1 = 4, .uplinks = 3, .l2_chiplets_per_slice = 3}};

// Up to six groups of one VC, in which no NPU sends twice or receives twice.
std::vector<CollectiveSpec> random_groups(Random& random, int npus) {
  constexpr std::array kCollectives{Collective::kAllReduce, Collective::kReduce,
                                    Collective::kBroadcast, Collective::kUnicast};
  const bool mixed = random.below(3) != 0;
  std::set<int> senders;
  std::set<int> receivers;
  std::vector<CollectiveSpec> work;
  const auto groups = 2 + random.below(5);
  for (std::uint64_t tried = 0; tried < 200 && work.size() < groups; ++tried) {
    CollectiveSpec spec;
    spec.collective = mixed ? kCollectives[random.below(4)] : Collective::kAllReduce;
    std::set<int> members;
    const auto size = spec.collective == Collective::kUnicast ? 2 : 2 + random.below(2);
    while (members.size() < size)
      members.insert(static_cast<int>(random.below(static_cast<std::uint64_t>(npus))));
    spec.group.assign(members.begin(), members.end());
    spec.bytes = kFlitBytes;
    const int root = spec.group[0];
    const bool free = std::ranges::none_of(members, [&](int npu) {
      const bool all = spec.collective == Collective::kAllReduce;
      const bool reduce = spec.collective == Collective::kReduce;
      const bool sends = all || reduce || npu == root;
      const bool gets = all || reduce == (npu == root);
      return (sends && senders.contains(npu)) || (gets && receivers.contains(npu));
    });
    if (!free) continue;
    for (const int npu : members) {
      const bool all = spec.collective == Collective::kAllReduce;
      const bool reduce = spec.collective == Collective::kReduce;
      if (all || reduce || npu == root) senders.insert(npu);
      if (all || reduce == (npu == root)) receivers.insert(npu);
    }
    work.push_back(spec);
  }
  return work;
}

TEST(UplinkSearch, FindsAWayExactlyWhereThereIsOne) {
  std::map<Routability, int> seen;
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    Random random(seed);
    for (test::TreeSize size : kTrees) {
      size.middle = random.below(4) == 0 ? 3 : 2;
      size.uplink_bandwidth = static_cast<std::uint64_t>(size.uplinks) * 3'000'000'000'000;
      Topology topology = test::fred_tree(size);
      if (random.below(2) != 0) topology = test::with_shuffled_ports(topology, seed);
      const std::vector<CollectiveSpec> work =
          random_groups(random, static_cast<int>(topology.npus.size()));
      SCOPED_TRACE(
          fmt::format("seed {}, {} NPUs, {} groups", seed, topology.npus.size(), work.size()));
      const Routability wanted = test::try_everything(topology, work);
      EXPECT_EQ(test::ask_planner(topology, work), wanted);
      ++seen[wanted];
      if (wanted == Routability::kRouted)
        test::expect_plan(topology, work, make_plan(topology, work));
    }
  }
  for (const Routability kind :
       {Routability::kRouted, Routability::kTooFewUplinks, Routability::kNoRouting})
    EXPECT_GT(seen[kind], 5) << static_cast<int>(kind);
}

CollectiveSpec uplink_all_reduce(std::vector<int> group) {
  CollectiveSpec spec;
  spec.group = std::move(group);
  spec.bytes = kFlitBytes;
  return spec;
}

// A triangle of pairs, twice: six uplink numbers would be needed if a group had the same one at
// both its chiplets, with its own at each four are enough.
TEST(UplinkSearch, AGroupMayHaveDifferentUplinksAtItsChiplets) {
  const Topology topology = test::fred_tree({.l1_switches = 3, .npus_per_l1 = 4});
  const std::vector<CollectiveSpec> work{uplink_all_reduce({0, 4}),  uplink_all_reduce({1, 5}),
                                         uplink_all_reduce({2, 8}),  uplink_all_reduce({3, 9}),
                                         uplink_all_reduce({6, 10}), uplink_all_reduce({7, 11})};
  const Plan plan = make_plan(topology, work);
  test::expect_plan(topology, work, plan);
}

// A chain of multicasts: every inner NPU sends in one and receives in another, in one phase.
TEST(UplinkSearch, SendersMayReceiveForAnotherGroup) {
  const Topology topology = test::fred_tree();
  std::vector<CollectiveSpec> work;
  for (int npu = 0; npu < 19; ++npu) {
    work.push_back(uplink_all_reduce({npu, npu + 1}));
    work.back().collective = Collective::kMulticast;
  }
  const Plan plan = make_plan(topology, work);
  test::expect_plan(topology, work, plan);
  for (const PhaseProgram& program : plan.programs) EXPECT_EQ(program.phase, 0);
}

// Without any one of the named groups the remaining ones fit.
TEST(UplinkSearch, AConflictNamesNoGroupTooMany) {
  const Topology topology = test::fred_tree({.middle = 2});
  std::vector<CollectiveSpec> work;
  work.reserve(10);
  for (int i = 0; i < 10; ++i) work.push_back(uplink_all_reduce({i, i + 10}));
  try {
    make_plan(topology, work);
    FAIL() << "accepted";
  } catch (const GroupConflict& conflict) {
    ASSERT_EQ(conflict.obstacle().kind, Obstacle::Kind::kFlows);
    EXPECT_FALSE(conflict.obstacle().flows.empty());
    EXPECT_NE(std::string(conflict.what()).find(conflict.obstacle().chiplet), std::string::npos);
    for (std::size_t out = 0; out < conflict.parts().size(); ++out) {
      std::vector<CollectiveSpec> fewer;
      for (std::size_t i = 0; i < conflict.parts().size(); ++i)
        if (i != out) fewer.push_back(work[conflict.parts()[i]]);
      EXPECT_NO_THROW(make_plan(topology, fewer));
    }
  }
}

// More groups that go down into an L1 switch than it has uplinks, or that go up: refused without a
// search.
TEST(UplinkSearch, DemandIsCountedInEitherDirection) {
  const Topology topology = test::fred_tree({.l1_switches = 9,
                                             .npus_per_l1 = 8,
                                             .uplinks = 7,
                                             .l2_chiplets_per_slice = 7,
                                             .uplink_bandwidth = 21'000'000'000'000});
  for (const bool into : {true, false}) {
    std::vector<CollectiveSpec> work;
    for (int group = 0; group < 8; ++group) {
      CollectiveSpec& spec = work.emplace_back();
      spec.collective = Collective::kUnicast;
      spec.bytes = 4096;
      spec.group = {8 * (group + 1), group};
      if (!into) std::swap(spec.group[0], spec.group[1]);
    }
    try {
      make_plan(topology, work);
      ADD_FAILURE() << "eight groups on seven uplinks";
    } catch (const GroupConflict& conflict) {
      EXPECT_EQ(conflict.obstacle().kind, Obstacle::Kind::kUplinks);
      EXPECT_EQ(conflict.parts().size(), 8U);
    }
    work.pop_back();
    EXPECT_NO_THROW(make_plan(topology, work));
  }
}

}  // namespace
}  // namespace fredsim
