// SPDX-License-Identifier: Apache-2.0
// Directions of the two halves of a chain, and their link load: chosen for the minimum time by
// latencies and the busiest link, recomputed by hand here.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <set>
#include <vector>

#include "base/random.h"
#include "fabrics.h"
#include "plan/link_load.h"
#include "plan_evaluator.h"
#include "systems/make_plan.h"

namespace fredsim {
namespace {

constexpr test::TreeSize kSlowUplinks{.uplink_bandwidth = 1'500'000'000'000};
constexpr std::array kCollectives{Collective::kReduce, Collective::kBroadcast,
                                  Collective::kMulticast};

std::vector<CollectiveSpec> chain_work(Collective collective, const std::vector<int>& group,
                                       std::uint64_t flits, int root = 0) {
  CollectiveSpec spec;
  spec.collective = collective;
  spec.group = group;
  spec.bytes = flits * kFlitBytes;
  spec.algorithm = "chain";
  spec.root = root;
  return {spec};
}

// NPUs of a tree from the root outwards, whichever way the data flow.
std::vector<int> places(const Plan& plan, const Tree& tree) {
  std::map<int, int> next;  // rank -> the one further from the root
  for (const TreeRank& rank : tree.ranks) {
    for (const Send& send : rank.broadcast_to) next[rank.rank] = send.rank;
    for (const Send& send : rank.reduce_to) next[send.rank] = rank.rank;
  }
  const std::vector<NodeId>& members = plan.parts[tree.part].members;
  std::vector<int> npus{members[plan.parts[tree.part].root]};
  for (int rank = plan.parts[tree.part].root; next.contains(rank);)
    npus.push_back(members[rank = next[rank]]);
  return npus;
}

std::set<int> vcs(const Plan& plan) {
  std::set<int> all;
  for (const Tree& tree : plan.trees) {
    for (const TreeRank& rank : tree.ranks) {
      for (const Send& send : rank.broadcast_to) all.insert(send.vc);
      for (const Send& send : rank.reduce_to) all.insert(send.vc);
    }
  }
  return all;
}

// On a whole mesh: half of the data each way round a ring of single hops, so that no link carries
// more than a half. In any order of the NPUs, from any root.
TEST(Chain, AWholeMeshIsARingWithHalfOfTheDataEachWay) {
  Random random(5);
  for (const auto& [width, height] : {std::pair{5, 4}, {4, 5}, {2, 2}, {2, 7}}) {
    const Topology topology = test::mesh(width, height);
    std::vector<int> group = test::first_ranks(width * height);
    for (const Collective collective : kCollectives) {
      const int root = static_cast<int>(random.below(group.size()));
      SCOPED_TRACE(fmt::format("{} x {}, {}, root {}", width, height, to_string(collective), root));
      const std::vector<CollectiveSpec> work = chain_work(collective, group, 1001, root);
      const Plan plan = make_plan(topology, work);
      test::expect_plan(topology, work, plan);
      ASSERT_EQ(plan.trees.size(), 2U);
      EXPECT_EQ(plan.trees[0].flits, 501U);
      EXPECT_EQ(plan.trees[1].flits, 500U);
      for (const Tree& tree : plan.trees) {
        const std::vector<int> npus = places(plan, tree);
        ASSERT_EQ(std::ssize(npus), width * height);
        EXPECT_EQ(npus.front(), group[root]);
        for (std::size_t i = 1; i < npus.size(); ++i) {
          EXPECT_EQ(std::abs(npus[i] % width - npus[i - 1] % width) +
                        std::abs(npus[i] / width - npus[i - 1] / width),
                    1);
        }
      }
      std::vector<int> there = places(plan, plan.trees[0]);
      const std::vector<int> back = places(plan, plan.trees[1]);
      std::reverse(there.begin() + 1, there.end());
      EXPECT_EQ(there, back);
      EXPECT_DOUBLE_EQ(plan.bound_ns, 501.0 * kFlitBytes / test::kMeshLink * 1e9);
      EXPECT_TRUE(plan.notes.empty());
      EXPECT_EQ(vcs(plan), std::set<int>{kDp});
      for (std::size_t i = group.size() - 1; i > 0; --i)
        std::swap(group[i], group[random.below(i + 1)]);
    }
  }
}

// A part of a row: the hop that closes the ring would go back over the links of the row. Both
// halves take the direction without that hop.
TEST(Chain, APartOfARowGoesOneWay) {
  const Topology topology = test::mesh(6, 1);
  for (const Collective collective : kCollectives) {
    for (const auto& [root, due] :
         {std::pair{0, std::vector<int>{1, 2, 3, 4}}, std::pair{3, std::vector<int>{4, 3, 2, 1}}}) {
      const std::vector<CollectiveSpec> work = chain_work(collective, {1, 2, 3, 4}, 1000, root);
      const Plan plan = make_plan(topology, work);
      test::expect_plan(topology, work, plan);
      ASSERT_EQ(plan.trees.size(), 2U);
      for (const Tree& tree : plan.trees) EXPECT_EQ(places(plan, tree), due);
      EXPECT_DOUBLE_EQ(plan.bound_ns, 1000.0 * kFlitBytes / test::kMeshLink * 1e9);
    }
  }
}

// A pair has one path.
TEST(Chain, APairIsOneTree) {
  for (const Topology& topology : {test::mesh(6, 1), test::mesh(2, 1)}) {
    const std::vector<CollectiveSpec> work = chain_work(Collective::kReduce, {1, 0}, 1000);
    const Plan plan = make_plan(topology, work);
    test::expect_plan(topology, work, plan);
    ASSERT_EQ(plan.trees.size(), 1U);
    EXPECT_EQ(places(plan, plan.trees[0]), (std::vector<int>{1, 0}));
  }
}

// On a FRED tree whose uplinks are as fast as its NPUs every NPU sends and receives all data by one
// port, whichever way it goes: one way, without the hop from the last L1 switch to the first one.
TEST(Chain, AFastTreeGoesOneWay) {
  const Topology topology = test::fred_tree({}, false);
  for (const Collective collective : kCollectives) {
    for (const std::uint64_t flits : {5, 100, 100'000}) {
      const std::vector<CollectiveSpec> work = chain_work(collective, test::first_ranks(20), flits);
      const Plan plan = make_plan(topology, work);
      test::expect_plan(topology, work, plan);
      for (const Tree& tree : plan.trees) EXPECT_EQ(places(plan, tree), test::first_ranks(20));
      EXPECT_TRUE(plan.notes.empty());
      EXPECT_EQ(vcs(plan), std::set<int>{kDp});
    }
  }
}

// On slower uplinks, each of them carries half of the data if the halves go in opposite directions:
// worth the longer path with many flits. Either direction has a virtual channel for itself, if the
// part has two.
TEST(Chain, ATreeWithSlowUplinksGoesBothWaysWithManyFlits) {
  const Topology topology = test::fred_tree(kSlowUplinks, false);
  std::vector<int> backwards = test::first_ranks(20);
  std::reverse(backwards.begin() + 1, backwards.end());
  for (const Collective collective : kCollectives) {
    std::vector<CollectiveSpec> work = chain_work(collective, test::first_ranks(20), 20'000);
    const Plan plan = make_plan(topology, work);
    test::expect_plan(topology, work, plan);
    ASSERT_EQ(plan.trees.size(), 10U);
    for (int t = 0; t < 10; ++t) {
      EXPECT_EQ(places(plan, plan.trees[t]), t % 2 == 0 ? test::first_ranks(20) : backwards);
      EXPECT_EQ(plan.trees[t].flits, 2000U);
    }
    // An uplink of 1.5 TB/s over 5 slices and 4 links carries a half of a slice's share.
    EXPECT_DOUBLE_EQ(plan.bound_ns, 2000.0 * kFlitBytes / 75e9 * 1e9);
    EXPECT_EQ(vcs(plan), (std::set<int>{kMp, kPp}));
    EXPECT_EQ(plan.notes.size(), 1U);

    const Plan few = make_plan(topology, chain_work(collective, test::first_ranks(20), 25));
    for (const Tree& tree : few.trees) EXPECT_EQ(places(few, tree), test::first_ranks(20));
    EXPECT_TRUE(few.notes.empty());

    work.push_back(work.front());
    EXPECT_EQ(make_plan(topology, work).notes.size(), 1U);
    work.back().vc = kMp;
    const Plan both = make_plan(topology, work);
    test::expect_plan(topology, work, both);
    EXPECT_EQ(both.trees.size(), 20U);
    // The part at DP may use PP too.
    EXPECT_EQ(vcs(both), (std::set<int>{kMp, kPp, kDp}));
    EXPECT_EQ(both.notes,
              std::vector<std::string>{
                  "chain: half of the data each way round, on virtual channels pp and dp"});
  }
}

// From 1 to 0 and 2 on a row. Forwards, 1 -> 0 -> 2, a whole vector crosses 1 -> 0, 0 -> 1 and 1 ->
// 2; backwards, 1 -> 2 -> 0, it crosses 1 -> 2, 2 -> 1 and 1 -> 0. Concurrent traffic decides:
// packets sent direct, and another chain, named before or after.
TEST(Chain, WaysDependOnWhatOthersPutOnTheLinks) {
  const Topology topology = test::mesh(4, 1);
  using Pairs = std::vector<std::pair<int, int>>;
  using Ways = std::vector<std::vector<int>>;
  const Ways forwards{{1, 0, 2}, {1, 0, 2}};
  const Ways backwards{{1, 2, 0}, {1, 2, 0}};
  for (const Collective other : {Collective::kUnicast, Collective::kBroadcast}) {
    for (const bool first : {true, false}) {
      SCOPED_TRACE(fmt::format("{}, {}", to_string(other), first ? "after" : "before"));
      const auto ways = [&](const Pairs& others) {
        std::vector<CollectiveSpec> work;
        for (const auto& [from, to] : others) {
          CollectiveSpec& spec = work.emplace_back();
          spec.collective = other;
          spec.group = {from, to};
          spec.bytes = 20'000 * kFlitBytes;
        }
        const CollectiveSpec chain = chain_work(Collective::kMulticast, {1, 0, 2}, 10'000).front();
        work.insert(first ? work.begin() : work.end(), chain);
        const Plan plan = make_plan(topology, work);
        test::expect_plan(topology, work, plan);
        EXPECT_TRUE(std::ranges::is_sorted(plan.trees, {}, &Tree::part));
        Ways all;
        for (const Tree& tree : plan.trees) {
          if (plan.parts[tree.part].collective == Collective::kMulticast)
            all.push_back(places(plan, tree));
        }
        return all;
      };
      EXPECT_EQ(ways({}), forwards);
      EXPECT_EQ(ways({{0, 1}}), backwards) << "0 -> 1 is taken";
      EXPECT_EQ(ways({{2, 1}}), forwards) << "2 -> 1 is taken";
      EXPECT_EQ(ways({{1, 2}}), forwards) << "either way needs 1 -> 2";
      EXPECT_EQ(ways({{0, 1}, {2, 1}}), (Ways{{1, 0, 2}, {1, 2, 0}})) << "half on each";
    }
  }
}

// Pipeline steps of MP(2)-DP(5)-PP(2) along rows of five, where the groups' paths cross. Each alone
// would go one way round, and two vectors would share a link; with halves each way the busiest link
// carries one and a half.
TEST(Chain, CrossingGroupsShareTheMesh) {
  const Topology topology = test::mesh(5, 4);
  std::vector<CollectiveSpec> work;
  for (const std::vector<int>& group :
       {std::vector{0, 2, 3}, {4, 6, 7}, {8, 10, 11}, {12, 14, 15}, {16, 18, 19}})
    work.push_back(chain_work(Collective::kMulticast, group, 10'000).front());
  const Plan plan = make_plan(topology, work);
  test::expect_plan(topology, work, plan);
  EXPECT_DOUBLE_EQ(plan.bound_ns, 10'000.0 * kFlitBytes / test::kMeshLink * 1e9);
}

// The hop that closes the ring, from the first L1 switch to the last one, is up and down longer
// than a hop below a switch. It pays off if half of the flits take that long on an uplink of 75
// GB/s.
TEST(Chain, ALongerWayIsTakenWhereItPays) {
  const Topology topology = test::fred_tree(kSlowUplinks, false);
  constexpr double kCyclesPerFlit = kFlitBytes / 75e9 * 1.5e9;
  int up_and_down = 0;
  for (const Link& link : topology.links) {
    if (topology.nodes[link.from].level == 1 && topology.nodes[link.to].level == 2)
      up_and_down = 2 * link.latency;
  }
  const auto both_ways = [&](std::uint64_t flits_of_slice) {
    const Plan plan = make_plan(
        topology, chain_work(Collective::kBroadcast, test::first_ranks(20), 5 * flits_of_slice));
    return !plan.notes.empty();
  };
  for (std::uint64_t half = 1; half < 100; ++half)
    EXPECT_EQ(both_ways(2 * half), static_cast<double>(half) * kCyclesPerFlit > up_and_down);
}

}  // namespace
}  // namespace fredsim
