// SPDX-License-Identifier: Apache-2.0
// Networks for the traffic of jobs: assignment of interfaces, and invariants of any of them.
#include "optimize/topology_finder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/error.h"
#include "base/random.h"
#include "optimize/network_time.h"
#include "support/random_range.h"

namespace fredsim {
namespace {

using Groups = std::vector<std::vector<int>>;

// Groups of `size` nodes that are `stride` apart.
Groups groups_of_nodes(int nodes, int size, int stride) {
  Groups groups;
  for (int first = 0; first < nodes; ++first) {
    if (first / stride % size != 0) continue;
    groups.emplace_back();
    for (int i = 0; i < size; ++i) groups.back().push_back(first + i * stride);
  }
  return groups;
}

JobDemand empty_demand(int nodes) {
  JobDemand demand;
  demand.nodes = nodes;
  demand.pairs = PairDemand(nodes);
  return demand;
}

TEST(TopologyFinder, GivesRingsOfAllNodesAllInterfaces) {
  const DirectTopology found = ring_topology(128, {.degree = 4});
  EXPECT_EQ(found.rings.front().jumps, (std::vector<int>{1, 5, 13, 39}));
  EXPECT_EQ(found.network.diameter(), 9);
  EXPECT_EQ(found.network.links().size(), 4U * 128);
  EXPECT_EQ(found.network.interfaces(77), 4);
  EXPECT_FALSE(found.has_joining_ring);
  const DirectTopology both = ring_topology(128, {.degree = 4, .kind = {.both_ways = true}});
  EXPECT_EQ(both.rings.front().jumps, (std::vector<int>{1, 9}));
  EXPECT_EQ(both.network.interfaces(77), 4);
  EXPECT_GE(both.network.link(5, 4), 0);
}

TEST(TopologyFinder, SplitsInterfacesByBytes) {
  // 8 nodes: rings of all move 3/4 of the bytes.
  JobDemand demand = empty_demand(8);
  demand.rings.push_back({groups_of_nodes(8, 8, 1), 300});
  for (int i = 0; i < 4; ++i) demand.pairs.at(i, i + 4) = 25;
  const DirectTopology found = find_topology(demand, {.degree = 4});
  EXPECT_EQ(found.ring_interfaces, 3);
  EXPECT_EQ(found.pair_interfaces, 1);
  EXPECT_EQ(found.matchings,
            (std::vector<std::vector<NodePair>>{{{0, 4}, {1, 5}, {2, 6}, {3, 7}}}));
  EXPECT_GE(found.network.link(6, 2), 0);

  // Sets of groups: 2 of 3 for the heavier one.
  demand = empty_demand(16);
  demand.rings.push_back({groups_of_nodes(16, 4, 1), 100});
  demand.rings.push_back({groups_of_nodes(16, 4, 4), 200});
  const DirectTopology two = find_topology(demand, {.degree = 3});
  ASSERT_EQ(two.rings.size(), 2U);
  EXPECT_EQ(two.rings[0].groups, groups_of_nodes(16, 4, 4));
  EXPECT_EQ(two.rings[0].jumps, (std::vector<int>{1, 3}));
  EXPECT_EQ(two.rings[1].jumps, (std::vector<int>{1}));
}

TEST(TopologyFinder, TakesJumpsAgainWhereAGroupHasFewer) {
  JobDemand demand = empty_demand(4);
  demand.rings.push_back({groups_of_nodes(4, 4, 1), 100});
  const DirectTopology found = find_topology(demand, {.degree = 3});
  EXPECT_EQ(found.rings.front().jumps, (std::vector<int>{1, 3, 1}));
  EXPECT_EQ(found.network.links()[found.network.link(0, 1)].count, 2);
}

TEST(TopologyFinder, JoinsWhatRingsAndMatchingsLeaveApart) {
  JobDemand demand = empty_demand(8);
  demand.rings.push_back({groups_of_nodes(8, 4, 1), 100});
  const DirectTopology found = find_topology(demand, {.degree = 2});
  EXPECT_TRUE(found.has_joining_ring);
  EXPECT_TRUE(found.network.joins_all());
  ASSERT_EQ(found.rings.size(), 2U);
  EXPECT_EQ(found.rings[0].jumps, (std::vector<int>{1}));
  EXPECT_EQ(found.rings[1].groups.front().size(), 8U);
}

TEST(TopologyFinder, OfAnyDemandJoinsAllWithinTheDegree) {
  constexpr std::uint64_t kSeed = 11;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  Random random(kSeed);
  for (int round = 0; round < 200; ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    const int nodes = 4 << random.below(4);
    JobDemand demand = empty_demand(nodes);
    for (std::uint64_t set = random.below(3); set > 0; --set) {
      const int size = 2 << random.below(2), stride = nodes / size >> random.below(2);
      demand.rings.push_back({groups_of_nodes(nodes, size, std::max(stride, 1)),
                              static_cast<double>(1 + random.below(1000))});
    }
    for (std::uint64_t pair = random.below(20); pair > 0; --pair) {
      const auto from = static_cast<int>(random.below(nodes));
      const auto to = static_cast<int>(random.below(nodes));
      if (from != to) demand.pairs.at(from, to) += static_cast<double>(1 + random.below(1000));
    }
    const bool both = random.below(2) == 1;
    const int degree = test::random_between(random, both ? 2 : 1, std::min(nodes - 1, 6));
    const DirectTopology found = find_topology(demand, {.degree = degree, .kind = {false, both}});
    ASSERT_TRUE(found.network.joins_all());
    for (int node = 0; node < nodes; ++node) ASSERT_LE(found.network.interfaces(node), degree);
    // Routes are along links that are there: shortest_paths() of each pair with demand ends where
    // it should.
    DirectTimes times(found, {1e9, 0}, 3);
    for (int from = 0; from < nodes; ++from) {
      for (int to = 0; to < nodes; ++to) {
        if (demand.pairs.at(from, to) <= 0) continue;
        ASSERT_FALSE(times.paths(from, to).empty());
        for (const std::vector<int>& path : times.paths(from, to)) {
          int at = from;
          for (const int link : path) {
            ASSERT_LT(link, std::ssize(found.network.links()));
            ASSERT_EQ(found.network.links()[link].from, at);
            at = found.network.links()[link].to;
          }
          ASSERT_EQ(at, to);
        }
      }
    }
  }
}

TEST(TopologyFinder, RefusesDegreesThatNodesCannotHave) {
  const auto message = [](int nodes, const FinderOptions& options) {
    try {
      ring_topology(nodes, options);
    } catch (const BadInput& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message(8, {.degree = 8}),
            "found a degree of 8 for 8 nodes; allowed: below the number of nodes, up to 7");
  EXPECT_EQ(message(8, {.degree = 0}),
            "found a degree of 0; allowed: 1 or more, below the number of nodes");
  EXPECT_EQ(message(8, {.degree = 1, .kind = {.both_ways = true}}),
            "found a degree of 1; allowed: 2 or more, below the number of nodes, since a ring both "
            "ways takes two");
  EXPECT_EQ(message(12, {.degree = 5}),
            "found a degree of 5 for rings of a group of 12, which has 4 jumps without a common "
            "divisor; allowed: up to 4");
}

TEST(NetworkTime, OfAllReducesAndPairsIsWhatTheBusiestLinkTakes) {
  const DirectTopology found = ring_topology(16, {.degree = 2});
  DirectTimes direct(found, {1e9, 1e-6}, 1);
  SwitchTimes ideal(16, {2e9, 1e-6});
  CollectiveSpec all;
  for (int i = 0; i < 16; ++i) all.group.push_back(i);
  all.bytes = 1'600'000;
  // 2 x 15/16 of it over two rings, in 30 steps.
  EXPECT_NEAR(direct.seconds(std::span(&all, 1)), 1.5e-3 + 30e-6, 1e-12);
  EXPECT_NEAR(ideal.seconds(std::span(&all, 1)), 1.5e-3 + 30e-6, 1e-12);
  // 14 places ahead: two jumps by 5 and four by 1.
  CollectiveSpec one;
  one.collective = Collective::kUnicast;
  one.group = {0, 14};
  one.bytes = 1'000'000;
  EXPECT_NEAR(direct.seconds(std::span(&one, 1)), 1e-3 + 6e-6, 1e-12);
  EXPECT_NEAR(ideal.seconds(std::span(&one, 1)), 0.5e-3 + 1e-6, 1e-12);
  // A group without its own rings uses other paths: 0, 8, 0; each 4 links, one of them by both.
  CollectiveSpec two = all;
  two.group = {0, 8};
  two.bytes = 1'000'000;
  EXPECT_NEAR(direct.seconds(std::span(&two, 1)), 1e-3 + 8e-6, 1e-12);
}

}  // namespace
}  // namespace fredsim
