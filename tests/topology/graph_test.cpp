// SPDX-License-Identifier: Apache-2.0
// Systems of any shape: the topology built from a list, bisection and diameter of graphs with known
// formulas, parallel and one-way links.
#include "topology/graph/graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/random.h"
#include "path_support.h"
#include "sketch.h"
#include "support.h"
#include "support/random_range.h"
#include "topology/facts.h"
#include "topology/graph/graph_bisection.h"

namespace fredsim {
namespace {

TEST(Graph, OfNpusAloneHasSwitchesOnTheirDies) {
  for (const int npus : {3, 4, 7, 8}) {
    SCOPED_TRACE(npus);
    const Topology all = ring_of(npus);
    expect_sound(all);
    EXPECT_EQ(all.kind, "graph");
    EXPECT_EQ(all.nodes.size(), 2U * npus);
    EXPECT_EQ(all.nodes[node_named(all, "npu1.router")].ports, 3);
    const Link& own = all.links[all.link_out(all.npus[1], 0)];
    EXPECT_TRUE(own.on_die);
    EXPECT_EQ(own.bytes_per_second, 2 * kBandwidth);
    EXPECT_EQ(own.latency, 1);
    EXPECT_EQ(diameter_links(all), npus / 2);
    EXPECT_EQ(graph_bisection(all), 2 * kBandwidth);
    expect_good_paths(all);
  }
}

TEST(Graph, HasBisectionAndDiameterOfKnownOnes) {
  // A hypercube of 16: N/2 links, log N.
  Sketch cube(16, 0);
  for (int i = 0; i < 16; ++i)
    for (int bit = 1; bit < 16; bit *= 2)
      if ((i & bit) == 0) cube.link(i, i | bit);
  EXPECT_EQ(graph_bisection(cube.build()), 8 * kBandwidth);
  EXPECT_EQ(diameter_links(cube.build()), 4);
  // All pairs of 8: N^2/4.
  Sketch pairs(8, 0);
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < i; ++j) pairs.link(i, j);
  EXPECT_EQ(graph_bisection(pairs.build()), 16 * kBandwidth);
  EXPECT_EQ(diameter_links(pairs.build()), 1);
  // A mesh of 4 x 6, numbered along its short side: 4 links, 3 + 5.
  Sketch mesh(24, 0);
  for (int i = 0; i < 24; ++i) {
    if (i % 4 != 3) mesh.link(i, i + 1);
    if (i + 4 < 24) mesh.link(i, i + 4);
  }
  EXPECT_EQ(graph_bisection(mesh.build()), 4 * kBandwidth);
  EXPECT_EQ(diameter_links(mesh.build()), 8);
  // A switch: half of the NPUs.
  Sketch star(9, 1);
  for (int i = 0; i < 9; ++i) star.link(i, star.chip(0));
  EXPECT_EQ(graph_bisection(star.build()), 4 * kBandwidth);
  EXPECT_EQ(diameter_links(star.build()), 2);
}

// Numbers that alternate between two groups: compact halves are found, for any numbering.
TEST(Graph, BisectionIsFoundWhateverTheOrder) {
  Sketch groups(12, 2);
  for (int i = 0; i < 12; ++i) groups.link(i, groups.chip(i % 2));
  groups.link(groups.chip(0), groups.chip(1));
  EXPECT_EQ(graph_bisection(groups.build()), kBandwidth);
}

TEST(Graph, GroupsMayDiffer) {
  Sketch groups(10, 3);
  for (int i = 0; i < 10; ++i)
    groups.link(i, groups.chip(i < 4 ? 0 : 1), i < 4 ? 2 * kBandwidth : kBandwidth);
  groups.link(groups.chip(0), groups.chip(2), kBandwidth, 2);
  groups.link(groups.chip(1), groups.chip(2));
  const Topology all = groups.build();
  expect_sound(all);
  EXPECT_EQ(all.links.size(), 2U * (10 + 2 + 1));
  EXPECT_EQ(link_named(all, "npu3.0->s0.3").bytes_per_second, 2 * kBandwidth);
  EXPECT_EQ(link_named(all, "npu4.0->s1.0").bytes_per_second, kBandwidth);
  EXPECT_EQ(all.slices, 1);
  EXPECT_EQ(diameter_links(all), 4);
  expect_good_paths(all);
  // Both parallel links are used, by destinations.
  EXPECT_NE(path_of(all, 0, 4, 0)[1], path_of(all, 0, 5, 0)[1]);
}

TEST(Graph, PartsThatNpusAloneJoinArePlanes) {
  Sketch planes(6, 4);
  for (int i = 0; i < 6; ++i) {
    planes.link(i, planes.chip(i / 3));
    planes.link(i, planes.chip(2 + i / 3));
  }
  planes.link(planes.chip(0), planes.chip(1));
  planes.link(planes.chip(2), planes.chip(3));
  const Topology all = planes.build();
  expect_sound(all);
  EXPECT_EQ(all.slices, 2);
  EXPECT_EQ(all.nodes[all.npus[0]].ports, 2);
  EXPECT_EQ(far_end(all, "npu4", 1), "s3.1");
  EXPECT_EQ(all.nodes[node_named(all, "s3")].slice, 1);
  expect_good_paths(all);
  // One NPU is in one plane alone: its traffic uses that plane, all other traffic uses both.
  planes.spec().links.erase(planes.spec().links.begin() + 1);
  const Topology less = planes.build();
  expect_sound(less);
  EXPECT_EQ(less.slices, 2);
  EXPECT_EQ(less.nodes[less.npus[0]].ports, 1);
  EXPECT_EQ(far_end(less, "npu0", 0), "s0.0");
  EXPECT_EQ(far_end(less, "npu1", 1), "s2.0");
  EXPECT_EQ(ports_to(less, 1, 0), (std::vector<int>{0}));
  EXPECT_EQ(ports_to(less, 1, 4), (std::vector<int>{0, 1}));
  expect_good_paths(less);
}

TEST(Graph, ParallelLinksOfAnNpuAreOne) {
  Sketch sketch(2, 1);
  sketch.link(0, sketch.chip(0), kBandwidth, 3);
  sketch.link(1, sketch.chip(0));
  const Topology all = sketch.build();
  EXPECT_EQ(link_named(all, "npu0.0->s0.0").bytes_per_second, 3 * kBandwidth);
  EXPECT_EQ(all.nodes[node_named(all, "s0")].ports, 2);
}

TEST(Graph, WhatIsNotRightIsRefused) {
  const auto refused = [](const Sketch& sketch) {
    return refusal([&] { check_graph(sketch.spec()); });
  };
  Sketch apart(4, 2);
  for (int i = 0; i < 4; ++i) apart.link(i, apart.chip(i / 2));
  expect_parts(refused(apart), {"npu 2: found n0 and n2, which no path of links joins"});
  Sketch twice(2, 1);
  twice.spec().nodes[1].name = "n0";
  expect_parts(refused(twice), {"npu 1: found the name 'n0' twice, first at npu 0"});
  Sketch itself(2, 1);
  itself.link(1, 1);
  expect_parts(refused(itself), {"link 0: found a link from n1 to itself"});
  Sketch named(2, 1);
  named.spec().nodes[2].name = "npu7";
  expect_parts(refused(named), {"switch 0: found 'npu7' for a switch"});
  expect_parts(refused(Sketch(1, 1)), {"sketch: found 1 NPUs; allowed: 2 to 65536"});
  expect_parts(refused(Sketch(65'537, 0)), {"found 65537 NPUs; allowed: 2 to 65536"});
}

// Two NPUs and an adder on a switch.
Sketch with_adder() {
  Sketch sketch(2, 1);
  sketch.spec().nodes.push_back({.name = "a0", .label = "adder 0", .is_adder = true});
  for (const int node : {0, 1, 3}) sketch.link(node, sketch.chip(0));
  return sketch;
}

TEST(Graph, AddersAreEndpointsButNoNpus) {
  const Topology topology = with_adder().build();
  expect_sound(topology);
  EXPECT_EQ(topology.npus.size(), 2U);
  ASSERT_EQ(topology.adders.size(), 1U);
  const Node& adder = topology.nodes[topology.adders.front()];
  EXPECT_EQ(adder.name, "adder0");
  EXPECT_EQ(adder.address, 2);
  EXPECT_TRUE(adder.is_endpoint());
  EXPECT_EQ(topology.nodes[node_named(topology, "s0")].ports, 3);
}

TEST(Graph, AddersHaveOneLinkToASwitch) {
  const auto refused = [](const Sketch& sketch) {
    return refusal([&] { check_graph(sketch.spec()); });
  };
  Sketch to_npu = with_adder();
  to_npu.link(3, 0);
  expect_parts(refused(to_npu),
               {"link 3: found a link of the adder a0 to n0; allowed: to a switch, both ways"});
  Sketch twice = with_adder();
  twice.link(3, twice.chip(0));
  expect_parts(refused(twice), {"adder 0: found 2 links of the adder a0; allowed: one"});
}

// NPUs 0 to n - 1, each with links to the NPUs at the given distances after it.
Sketch one_way_rings(int npus, const std::vector<int>& jumps) {
  Sketch sketch(npus, 0);
  for (const int jump : jumps) {
    for (int i = 0; i < npus; ++i) {
      sketch.link(i, (i + jump) % npus);
      sketch.spec().links.back().one_way = true;
    }
  }
  return sketch;
}

TEST(Graph, OneWayHasLinksThatLeadElsewhereThanTheyComeFrom) {
  const Topology rings = one_way_rings(16, {1, 5}).build();
  EXPECT_TRUE(rings.one_way);
  EXPECT_FALSE(rings.flow_only.empty());
  EXPECT_EQ(rings.links.size(), 16U * (2 + 2));
  EXPECT_EQ(rings.nodes[node_named(rings, "npu3.router")].ports, 3);
  EXPECT_EQ(rings.links[rings.link_out(rings.npus[3], 0)].bytes_per_second, 2 * kBandwidth);
  EXPECT_EQ(diameter_links(rings), 6);
  // The halves by number: 1 + 5 links from one to the other at either border.
  EXPECT_EQ(graph_bisection(rings), 6 * kBandwidth);
  for (int from = 0; from < 16; ++from) {
    for (int to = 0; to < 16; ++to) {
      if (from == to) continue;
      const int ahead = (to - from + 16) % 16;
      int fewest = 16;
      for (int fives = 0; fives < 16; ++fives)
        fewest = std::min(fewest, fives + (ahead - 5 * fives % 16 + 16) % 16);
      // To the switch on the die, and from it.
      EXPECT_EQ(path_of(rings, from, to, 0).size(), 2U + fewest);
    }
  }
}

TEST(Graph, OneWayCountsParallelLinks) {
  Sketch sketch(3, 0);
  for (const auto& [from, to, count] : {std::tuple(0, 1, 2), {1, 2, 1}, {1, 0, 1}, {2, 0, 1}}) {
    sketch.link(from, to, kBandwidth, count);
    sketch.spec().links.back().one_way = true;
  }
  const Topology all = sketch.build();
  EXPECT_EQ(all.nodes[node_named(all, "npu0.router")].ports, 3);  // 1 link out, 2 in
  EXPECT_EQ(all.links[all.link_out(all.npus[0], 0)].bytes_per_second, 2 * kBandwidth);
  EXPECT_EQ(path_of(all, 0, 2, 0).size(), 4U);
}

TEST(Graph, OneWayIsRefusedAtSwitchesAndOutOfBalance) {
  Sketch sketch = one_way_rings(4, {1});
  sketch.link(0, 2);
  sketch.spec().links.back().one_way = true;
  try {
    sketch.build();
    FAIL();
  } catch (const BadInput& error) {
    EXPECT_STREQ(error.what(),
                 "npu 0: found 2 links one way from n0 and 1 to it; allowed: as many");
  }
  Sketch star(2, 1);
  star.link(0, 2);
  star.link(1, 2);
  star.spec().links.back().one_way = true;
  try {
    star.build();
    FAIL();
  } catch (const BadInput& error) {
    EXPECT_STREQ(error.what(),
                 "link 1: found a link one way at s0, a switch; allowed: between NPUs");
  }
  Topology rings = one_way_rings(4, {1}).build();
  EXPECT_THROW(lose_parts(rings, {parse_fault("npu:1", "test")}), BadInput);
}

}  // namespace
}  // namespace fredsim
