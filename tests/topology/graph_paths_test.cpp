// SPDX-License-Identifier: Apache-2.0
// Paths of graphs: equal ones carry the same, all arrive, none waits in a circle.
#include "topology/graph/graph_paths.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "path_support.h"
#include "sketch.h"
#include "support.h"
#include "support/random_range.h"
#include "topology/faults.h"

namespace fredsim {
namespace {

// NPUs of two planes that no switch joins are joined by way of NPUs with links into both, on whose
// dies there is a switch.
TEST(GraphPaths, NpusPassOnWhatNoSwitchDoes) {
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

// Load by link for an all-to-all of one unit between each two NPUs, cut over the planes as in
// plans.
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

// Boxes of NPUs, each joined to all of some switches, and in pairs to slow ones: all fast ones are
// used alike, by any two NPUs.
TEST(GraphPaths, BoxesUseAllOfTheirSwitches) {
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

// Nine equal paths between NPUs of a pair, eight between other NPUs: eight shares, so that no link
// has two of nine.
TEST(GraphPaths, SharesAreEvenBetweenAnyTwo) {
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

// Two boxes whose NPUs have a link into a network between them, too: inside a box planes are its
// switches, between boxes the network.
TEST(GraphPaths, PlanesAreFoundPairByPair) {
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

// Switches of two and of three levels, each joined to all of the next one: equal paths carry the
// same.
TEST(GraphPaths, EqualPathsOfTreesCarryTheSame) {
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

// A random tree of groups of k equal switches, each joined to all of the next group, and leaves
// with k x k NPUs each, joined to all of one group: all links of a leaf, and all between two
// groups, carry the same of an all-to-all, within 10 %.
TEST(GraphPaths, EqualPathsOfRandomTreesCarryTheSame) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const int equal = test::random_between(random, 2, 4);
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
    std::map<std::pair<int, int>, std::pair<double, double>> carried;  // min and max
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
TEST(GraphPaths, TheOrderOfLinksChangesNothing) {
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

// Links of a third of the rate are not used; links of three quarters carry as much as full ones.
TEST(GraphPaths, TheWidestOfEqualPathsAreUsed) {
  for (const auto& [narrow, used] : {std::pair(kBandwidth, 2U), {3 * kBandwidth, 3U}}) {
    Sketch planes(4, 3);
    for (int i = 0; i < 4; ++i)
      for (int s = 0; s < 3; ++s) planes.link(i, planes.chip(s), s == 1 ? narrow : 4 * kBandwidth);
    const Topology all = planes.build();
    EXPECT_EQ(ports_to(all, 0, 1).size(), used);
    EXPECT_EQ(all.slices, static_cast<int>(used));
  }
}

TEST(GraphPaths, PathsOfRandomOnesArriveAndWaitInNoCircle) {
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

TEST(GraphPaths, NothingGoesRoundWhatHasFailed) {
  Topology all = ring_of(4);
  expect_parts(
      refusal([&] { lose_parts(all, {parse_fault("link:npu0.router.1->npu1.router.1", "test")}); }),
      {"paths of a graph go round nothing; allowed: link:NAME*RATE and npu:NUMBER"});
  Topology less = ring_of(4);
  lose_parts(less, {parse_fault("npu:2", "test")});
  EXPECT_EQ(npus_left(less), (std::vector<int>{0, 1, 3}));
}

}  // namespace
}  // namespace fredsim
