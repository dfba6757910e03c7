// SPDX-License-Identifier: Apache-2.0
// k-ary fat trees: their components, by the formulas of the paper, and the paths in them.
#include "topology/fat_tree/fat_tree.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <optional>

#include "path_support.h"
#include "support.h"
#include "topology/facts.h"
#include "topology/topology_kind.h"

namespace fredsim {
namespace {

constexpr std::uint64_t kInfiniband = 50'000'000'000;

MachineSpec without_npus() {
  MachineSpec machine = wafer();
  machine.npus = 0;
  machine.io_controllers = 0;
  return machine;
}

Topology fat_tree(int radix, int oversubscription, std::optional<std::uint64_t> path_seed = {}) {
  return build_fat_tree(without_npus(), {.radix = radix,
                                         .oversubscription = oversubscription,
                                         .port_bandwidth = kInfiniband,
                                         .path_seed = path_seed});
}

TEST(FatTree, HasTheFormulasOfItsPaper) {
  for (const int k : {2, 4, 6, 8, 10}) {
    for (const int r : {1, 2, 3}) {
      SCOPED_TRACE("k " + std::to_string(k) + ", oversubscription " + std::to_string(r));
      const Topology tree = fat_tree(k, r);
      expect_sound(tree);
      const auto npus = static_cast<std::size_t>(r * k * k * k / 4);
      EXPECT_EQ(tree.npus.size(), npus);
      EXPECT_EQ(tree.nodes.size() - npus, 5U * k * k / 4)
          << "k^2/2 edge, k^2/2 aggregation, k^2/4 core";
      EXPECT_EQ(tree.links.size(), 2 * (npus + 2U * k * k * k / 4));
      EXPECT_EQ(bisection_bytes_per_second(tree), kInfiniband * k * k * k / 8);
      EXPECT_EQ(topology_kind("fat_tree").diameter(tree), diameter_links(tree));
      std::map<int, int> by_level;
      for (const Node& node : tree.nodes) {
        ++by_level[node.level];
        if (!node.is_switch()) continue;
        EXPECT_EQ(node.ports, node.level == 1 ? k / 2 * (r + 1) : k) << node.name;
      }
      EXPECT_EQ(by_level[1], k * k / 2);
      EXPECT_EQ(by_level[2], k * k / 2);
      EXPECT_EQ(by_level[3], k * k / 4);
      EXPECT_TRUE(tree.flow_only.empty());
    }
  }
}

TEST(FatTree, PathsArriveAndWaitInNoCircle) {
  expect_good_paths(fat_tree(2, 1));
  expect_good_paths(fat_tree(4, 1));
  expect_good_paths(fat_tree(4, 3));
  expect_good_paths(fat_tree(6, 1));
  for (const std::uint64_t seed : {0, 1, 2}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_good_paths(fat_tree(4, 1, seed));
    expect_good_paths(fat_tree(4, 3, seed));
    expect_good_paths(fat_tree(6, 1, seed));
  }
}

// All NPUs send to one that many numbers away: no two packets share a link from a switch down, so
// full bandwidth is reached.
TEST(FatTree, AShiftByAPodSharesNoLinkDown) {
  const Topology tree = fat_tree(4, 1);
  const int npus = static_cast<int>(tree.npus.size());
  std::map<int, int> used;
  for (int i = 0; i < npus; ++i)
    for (const int link : path_of(tree, i, (i + npus / 4) % npus, 0)) ++used[link];
  for (const auto& [link, times] : used) EXPECT_EQ(times, 1) << tree.links[link].name;
}

// Hashed paths are as long as other ones, and equal for one seed. Each of the 4 uplinks of an edge
// switch carries 224 of the 896 paths out of the pod over 8 seeds, within 5 standard deviations.
TEST(FatTree, HashedPathsAreSpreadOverTheLinksUp) {
  const Topology by_place = fat_tree(8, 1);
  std::map<int, int> used;
  int same = 0, others = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Topology tree = fat_tree(8, 1, seed), again = fat_tree(8, 1, seed);
    for (int from = 0; from < 128; from += 4) {
      for (int to = 0; to < 128; ++to) {
        if (from / 16 == to / 16) continue;
        const std::vector<int> links = path_of(tree, from, to, 0);
        EXPECT_EQ(links.size(), path_of(by_place, from, to, 0).size());
        EXPECT_EQ(links, path_of(again, from, to, 0));
        ++(links == path_of(by_place, from, to, 0) ? same : others);
        ++used[links[1]];
      }
    }
  }
  EXPECT_EQ(used.size(), 32U * 4);
  for (const auto& [link, times] : used)
    EXPECT_NEAR(times, 224, 5 * std::sqrt(896 * 0.25 * 0.75)) << by_place.links[link].name;
  // One path of 16 by chance.
  EXPECT_NEAR(same / static_cast<double>(same + others), 1.0 / 16, 0.01);
}

// Random choice of 4 links: a switch's links to two destinations, two switches' links to one, a
// switch's under two seeds.
TEST(FatTree, HashedPathsDependOnSwitchDestinationAndSeed) {
  int destinations = 0, switches = 0, seeds = 0, all = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Topology tree = fat_tree(8, 1, seed), other = fat_tree(8, 1, seed + 1);
    // Edge switches of pod 0, to NPUs of other pods.
    const auto up = [](const Topology& topology, int edge, int to) {
      return topology.links[path_of(topology, edge * 4, to, 0)[1]].from_port;
    };
    for (int to = 16; to < 124; ++to) {
      const int edge = to % 3;
      const int port = up(tree, edge, to);
      destinations += up(tree, edge, to + 4) == port ? 1 : 0;
      switches += up(tree, edge + 1, to) == port ? 1 : 0;
      seeds += up(other, edge, to) == port ? 1 : 0;
      ++all;
    }
  }
  for (const int count : {destinations, switches, seeds})
    EXPECT_NEAR(count, all * 0.25, 5 * std::sqrt(all * 0.25 * 0.75));
}

TEST(FatTree, ThoseThatAreTooLargeAreForFlows) {
  EXPECT_NE(fat_tree(4, 16).flow_only.find("e0_0 with 34 ports; allowed: up to 32"),
            std::string::npos);
  EXPECT_TRUE(fat_tree(16, 2).flow_only.empty());
  const Topology large = fat_tree(64, 1);
  EXPECT_EQ(large.npus.size(), 65'536U);
  EXPECT_EQ(path_of(large, 0, 65'535, 0).size(), 6U);
}

TEST(FatTree, WhatDoesNotComeOutIsRefused) {
  expect_parts(refusal([] { fat_tree(5, 1); }),
               {"fabric.radix: found 5, which is odd; allowed: an even number"});
  expect_parts(refusal([] { fat_tree(64, 2); }),
               {"fabric.radix: found 64", "131072 NPUs; allowed: up to 65536"});
  expect_parts(refusal([] { fat_tree(66, 1); }), {"fabric.radix: found 66; allowed: 2 to 64"});
  MachineSpec machine = without_npus();
  machine.io_controllers = 1;
  expect_parts(refusal([&] { build_fat_tree(machine, {.port_bandwidth = kInfiniband}); }),
               {"io.count: found 1; allowed: 0 to 0"});
}

}  // namespace
}  // namespace fredsim
