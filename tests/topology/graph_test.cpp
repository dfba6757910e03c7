// SPDX-License-Identifier: Apache-2.0
// Systems of any shape: what is built of a list, bisection and diameter of graphs whose formulas are known, and paths in random ones.
#include "topology/graph/graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/random.h"
#include "path_support.h"
#include "support.h"
#include "support/random_range.h"
#include "topology/facts.h"
#include "topology/faults.h"
#include "topology/graph/graph_bisection.h"

namespace fredsim {
namespace {

constexpr std::uint64_t kBandwidth = 50'000'000'000;

MachineSpec bare() {
  MachineSpec machine = wafer();
  machine.npus = 0;
  machine.io_controllers = 0;
  return machine;
}

// Lists NPUs n0, n1, … and switches s0, s1, ….
class Sketch {
 public:
  Sketch(int npus, int switches) {
    for (int i = 0; i < npus; ++i)
      spec_.nodes.push_back({"n" + std::to_string(i), false, "npu " + std::to_string(i)});
    for (int i = 0; i < switches; ++i)
      spec_.nodes.push_back({"s" + std::to_string(i), true, "switch " + std::to_string(i)});
    npus_ = npus;
    spec_.label = "sketch";
  }
  int npu(int i) const { return i; }
  int chip(int i) const { return npus_ + i; }
  void link(int from, int to, std::uint64_t bandwidth = kBandwidth, int count = 1) {
    spec_.links.push_back(
        {from, to, bandwidth, 20'000, count, "link " + std::to_string(spec_.links.size())});
  }
  const GraphSpec& spec() const { return spec_; }
  GraphSpec& spec() { return spec_; }
  Topology build() const {
    check_graph(spec_);
    return build_graph(bare(), spec_);
  }

 private:
  GraphSpec spec_;
  int npus_ = 0;
};

Topology ring(int npus) {
  Sketch sketch(npus, 0);
  for (int i = 0; i < npus; ++i) sketch.link(i, (i + 1) % npus);
  return sketch.build();
}

TEST(Graph, OfNpusAloneHasSwitchesOnTheirDies) {
  for (const int npus : {3, 4, 7, 8}) {
    SCOPED_TRACE(npus);
    const Topology all = ring(npus);
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

// Numbers that alternate between two groups: halves near each other are found, whatever the numbers.
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
  // One NPU is in one plane alone: what goes to it and from it goes by that, all else by both.
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

// NPUs of two planes that no switch joins are joined by way of NPUs with links into both, on whose dies there is a switch.
TEST(Graph, NpusPassOnWhatNoSwitchDoes) {
  Sketch chain(3, 2);
  chain.link(0, chain.chip(0));
  chain.link(1, chain.chip(0));
  chain.link(1, chain.chip(1));
  chain.link(2, chain.chip(1));
  const Topology all = chain.build();
  expect_sound(all);
  EXPECT_EQ(all.slices, 1);
  EXPECT_EQ(far_end(all, "npu1", 0), "npu1.router.0");
  expect_good_paths(all);
}

// Load by link: what it carries of an all-to-all of one unit between each two NPUs, cut over the planes as plans do.
std::vector<double> all_to_all_loads(const Topology& topology) {
  std::vector<double> loads(topology.links.size());
  const auto npus = static_cast<int>(topology.npus.size());
  for (int from = 0; from < npus; ++from) {
    for (int to = 0; to < npus; ++to) {
      if (from == to) continue;
      const std::vector<int> ports = ports_to(topology, from, to);
      for (int share = 0; share < topology.slices; ++share) {
        for (const int link :
             path_of(topology, from, to, ports[static_cast<std::size_t>(share) % ports.size()]))
          loads[link] += 1.0 / topology.slices;
      }
    }
  }
  return loads;
}

// Links from nodes of one name to nodes of another, "s1" to "s2": they carry the same, within 10 %.
void expect_even(const Topology& topology, const std::string& from, const std::string& to) {
  const std::vector<double> loads = all_to_all_loads(topology);
  double least = 1e9, most = 0;
  for (std::size_t l = 0; l < loads.size(); ++l) {
    const Link& link = topology.links[l];
    if (!topology.nodes[link.from].name.starts_with(from) ||
        !topology.nodes[link.to].name.starts_with(to))
      continue;
    least = std::min(least, loads[l]);
    most = std::max(most, loads[l]);
  }
  EXPECT_GT(least, 0) << from << " to " << to;
  EXPECT_LE(most, 1.1 * least) << from << " to " << to;
}

// Boxes of NPUs, each joined to all of some switches, and in pairs to slow ones: all fast ones are used alike, by any two NPUs.
TEST(Graph, BoxesUseAllOfTheirSwitches) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const int pairs = test::random_between(random, 1, 5);
    const int fast = test::random_between(random, 1, 6);
    Sketch box(2 * pairs, fast + pairs);
    std::vector<std::pair<int, int>> links;
    for (int i = 0; i < 2 * pairs; ++i) {
      for (int s = 0; s < fast; ++s) links.emplace_back(i, s);
      links.emplace_back(i, fast + i / 2);
    }
    for (std::size_t l = links.size(); l > 1; --l) std::swap(links[l - 1], links[random.below(l)]);
    for (const auto& [npu, chip] : links)
      box.link(npu, box.chip(chip), chip < fast ? 4 * kBandwidth : kBandwidth);
    const Topology all = box.build();
    expect_sound(all);
    expect_good_paths(all);
    EXPECT_EQ(all.slices, fast);
    const std::vector<double> loads = all_to_all_loads(all);
    for (std::size_t l = 0; l < loads.size(); ++l) {
      const Link& link = all.links[l];
      const bool is_fast = link.bytes_per_second == 4 * kBandwidth;
      EXPECT_NEAR(loads[l], is_fast ? (2.0 * pairs - 1) / fast : 0, 1e-9) << link.name;
    }
  }
}

// Nine equal paths between NPUs of a pair, eight between others: eight shares, so that no link has two of nine.
TEST(Graph, SharesAreEvenBetweenAnyTwo) {
  Sketch box(8, 8 + 4);
  for (int i = 0; i < 8; ++i) {
    for (int s = 0; s < 8; ++s) box.link(i, box.chip(s));
    box.link(i, box.chip(8 + i / 2));
  }
  const Topology all = box.build();
  EXPECT_EQ(ports_to(all, 0, 1).size(), 9U);
  EXPECT_EQ(ports_to(all, 1, 2).size(), 8U);
  EXPECT_EQ(all.slices, 8);
  for (const double load : all_to_all_loads(all)) EXPECT_LE(load, 7.0 / 8 + 1e-9);
}

// Two boxes whose NPUs have a link into a network between them, too: inside a box planes are its switches, between boxes the network.
TEST(Graph, PlanesAreFoundPairByPair) {
  Sketch boxes(8, 2 * 2 + 3);
  for (int i = 0; i < 8; ++i) {
    for (int s = 0; s < 2; ++s) boxes.link(i, boxes.chip(i / 4 * 2 + s), 8 * kBandwidth);
    boxes.link(i, boxes.chip(4 + i / 4));
  }
  for (int leaf = 0; leaf < 2; ++leaf)
    boxes.link(boxes.chip(4 + leaf), boxes.chip(6), 4 * kBandwidth);
  const Topology all = boxes.build();
  expect_sound(all);
  expect_good_paths(all);
  EXPECT_EQ(all.slices, 2);
  EXPECT_EQ(ports_to(all, 0, 3).size(), 2U);
  EXPECT_EQ(ports_to(all, 0, 4).size(), 1U);
  EXPECT_EQ(path_of(all, 0, 4, ports_to(all, 0, 4).front()).size(), 4U);
}

// Switches of two and of three levels, each joined to all of the next one: equal paths carry the same.
TEST(Graph, EqualPathsOfTreesCarryTheSame) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Random random(seed);
    const int spines = test::random_between(random, 1, 4);
    const int each = spines * test::random_between(random, 1, 2);
    const int leaves = test::random_between(random, 2, 5);
    SCOPED_TRACE("seed " + std::to_string(seed));
    Sketch tree(leaves * each, leaves + spines);
    for (int i = 0; i < leaves * each; ++i) tree.link(i, tree.chip(i / each));
    for (int leaf = 0; leaf < leaves; ++leaf)
      for (int s = 0; s < spines; ++s) tree.link(tree.chip(leaf), tree.chip(leaves + s));
    for (int s = 0; s < leaves + spines; ++s)
      tree.spec().nodes[tree.chip(s)].name = (s < leaves ? "leaf" : "spine") + std::to_string(s);
    const Topology all = tree.build();
    expect_good_paths(all);
    expect_even(all, "leaf", "spine");
    expect_even(all, "spine", "leaf");
  }
  // Pods of 2 leaves with 4 NPUs, and 2 switches above; each of these has 2 of the 4 cores.
  Sketch pods(32, 8 + 8 + 4);
  for (int i = 0; i < 32; ++i) pods.link(i, pods.chip(i / 4));
  for (int pod = 0; pod < 4; ++pod) {
    for (int k = 0; k < 4; ++k)
      pods.link(pods.chip(2 * pod + k / 2), pods.chip(8 + 2 * pod + k % 2), 2 * kBandwidth);
    for (int k = 0; k < 4; ++k)
      pods.link(pods.chip(8 + 2 * pod + k / 2), pods.chip(16 + k), 2 * kBandwidth);
  }
  for (int s = 0; s < 20; ++s)
    pods.spec().nodes[pods.chip(s)].name = (s < 8    ? "leaf"
                                            : s < 16 ? "pod"
                                                     : "core") +
                                           std::to_string(s);
  const Topology all = pods.build();
  expect_good_paths(all);
  for (const auto& [from, to] :
       {std::pair("leaf", "pod"), {"pod", "core"}, {"core", "pod"}, {"pod", "leaf"}})
    expect_even(all, from, to);
}

template <typename T>
void shuffle(Random& random, std::vector<T>& list) {
  for (std::size_t l = list.size(); l > 1; --l) std::swap(list[l - 1], list[random.below(l)]);
}

// A random tree of groups of k equal switches, each joined to all of the next group, and leaves with k x k NPUs each, joined to all of one
// group: all links of a leaf, and all between two groups, carry the same of an all-to-all, within 10 %.
TEST(Graph, EqualPathsOfRandomTreesCarryTheSame) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const int equal = 2;
    const int groups = test::random_between(random, 1, 4);
    const int leaves = test::random_between(random, 2, 5);
    Sketch tree(leaves * equal * equal, groups * equal + leaves);
    std::vector<int> group_of;  // by switch; a leaf is one of its own
    std::vector<std::pair<int, int>> links;
    const auto add = [&](int number, int above) {
      const auto chip = static_cast<int>(group_of.size());
      for (int copy = 0; above >= 0 && copy < equal; ++copy)
        links.emplace_back(tree.chip(chip), tree.chip(above * equal + copy));
      group_of.push_back(number);
      return chip;
    };
    for (int group = 0; group < groups; ++group) {
      const int above = group == 0 ? -1 : test::random_between(random, 0, group - 1);
      for (int copy = 0; copy < equal; ++copy) add(group, above);
    }
    for (int leaf = 0; leaf < leaves; ++leaf) {
      const int chip = add(groups + leaf, test::random_between(random, 0, groups - 1));
      for (int npu = 0; npu < equal * equal; ++npu)
        links.emplace_back(leaf * equal * equal + npu, tree.chip(chip));
    }
    shuffle(random, links);
    for (const auto& [from, to] : links) tree.link(from, to);
    const Topology all = tree.build();
    expect_good_paths(all);
    const std::vector<double> loads = all_to_all_loads(all);
    std::map<std::pair<int, int>, std::pair<double, double>> carried;  // least and most
    for (std::size_t l = 0; l < loads.size(); ++l) {
      const Node& from = all.nodes[all.links[l].from];
      const Node& to = all.nodes[all.links[l].to];
      if (!from.is_switch() || !to.is_switch()) continue;
      const auto group = [&](const Node& node) { return group_of[std::stoi(node.name.substr(1))]; };
      auto& [least, most] =
          carried.try_emplace({group(from), group(to)}, loads[l], loads[l]).first->second;
      least = std::min(least, loads[l]);
      most = std::max(most, loads[l]);
    }
    for (const auto& [pair, load] : carried)
      EXPECT_LE(load.second, 1.1 * load.first) << pair.first << " to " << pair.second;
  }
}

// Links in any order, with either end first, build the same.
TEST(Graph, TheOrderOfLinksChangesNothing) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const int npus = test::random_between(random, 2, 8);
    const int switches = test::random_between(random, 1, 4);
    Sketch listed(npus, switches);
    for (int i = 0; i < npus; ++i)
      for (int s = 0; s < switches; ++s) listed.link(i, listed.chip(s));
    for (int s = 1; s < switches; ++s)
      listed.link(listed.chip(s - 1), listed.chip(s), kBandwidth,
                  test::random_between(random, 1, 2));
    Sketch other = listed;
    std::vector<GraphLink>& links = other.spec().links;
    shuffle(random, links);
    for (GraphLink& link : links)
      if (random.below(2) == 0) std::swap(link.from, link.to);
    const Topology one = listed.build(), two = other.build();
    ASSERT_EQ(one.links.size(), two.links.size());
    for (std::size_t l = 0; l < one.links.size(); ++l)
      EXPECT_EQ(one.links[l].name, two.links[l].name);
  }
}

// Links of a third of the rate are left out; of three quarters, used as much as the others.
TEST(Graph, TheWidestOfEqualPathsAreUsed) {
  for (const auto& [narrow, used] : {std::pair(kBandwidth, 2U), {3 * kBandwidth, 3U}}) {
    Sketch planes(4, 3);
    for (int i = 0; i < 4; ++i)
      for (int s = 0; s < 3; ++s) planes.link(i, planes.chip(s), s == 1 ? narrow : 4 * kBandwidth);
    const Topology all = planes.build();
    EXPECT_EQ(ports_to(all, 0, 1).size(), used);
    EXPECT_EQ(all.slices, static_cast<int>(used));
  }
}

TEST(Graph, ParallelLinksOfAnNpuAreOne) {
  Sketch sketch(2, 1);
  sketch.link(0, sketch.chip(0), kBandwidth, 3);
  sketch.link(1, sketch.chip(0));
  const Topology all = sketch.build();
  EXPECT_EQ(link_named(all, "npu0.0->s0.0").bytes_per_second, 3 * kBandwidth);
  EXPECT_EQ(all.nodes[node_named(all, "s0")].ports, 2);
}

TEST(Graph, PathsOfRandomOnesArriveAndWaitInNoCircle) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    const auto draw = [&](int least, int most) {
      return test::random_between(random, least, most);
    };
    const int npus = draw(2, 10), switches = draw(1, 8);
    Sketch sketch(npus, switches);
    for (int s = 1; s < switches; ++s)
      sketch.link(sketch.chip(s), sketch.chip(draw(0, s - 1)), kBandwidth, draw(1, 2));
    for (int i = 0; i < npus; ++i) sketch.link(i, sketch.chip(draw(0, switches - 1)));
    // Every other graph has links between NPUs, too.
    const int first = seed % 2 == 0 ? 0 : npus;
    for (int more = draw(0, 12); more > 0; --more) {
      const int a = draw(0, npus + switches - 1), b = draw(first, npus + switches - 1);
      if (a != b) sketch.link(a, b, kBandwidth / 4 * static_cast<std::uint64_t>(draw(1, 4)));
    }
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Topology all = sketch.build();
    expect_sound(all);
    expect_good_paths(all);
  }
}

TEST(Graph, NothingGoesRoundWhatHasFailed) {
  Topology all = ring(4);
  expect_parts(
      refusal([&] { lose_parts(all, {parse_fault("link:npu0.router.1->npu1.router.1", "test")}); }),
      {"paths of a graph go round nothing; allowed: link:NAME*RATE and npu:NUMBER"});
  Topology less = ring(4);
  lose_parts(less, {parse_fault("npu:2", "test")});
  EXPECT_EQ(npus_left(less), (std::vector<int>{0, 1, 3}));
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
  expect_parts(refused(Sketch(1, 1)), {"sketch: found 1 NPUs; allowed is 2 to 65536"});
  expect_parts(refused(Sketch(65'537, 0)), {"found 65537 NPUs; allowed is 2 to 65536"});
}

// NPUs 0 to n - 1, each with a link to those that are so many places after it.
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
