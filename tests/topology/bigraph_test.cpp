// SPDX-License-Identifier: Apache-2.0
// BiGraphs: two layers of switches, NPUs at both, and paths between switches of one layer that wait
// in no circle.
#include "topology/bigraph/bigraph.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <tuple>

#include "base/random.h"
#include "path_support.h"
#include "support.h"
#include "support/random_range.h"
#include "topology/facts.h"
#include "topology/topology_kind.h"

namespace fredsim {
namespace {

constexpr std::uint64_t kEthernet = 12'500'000'000;

Topology bigraph(int upper, int lower, int npus_per_switch, int pair_links) {
  MachineSpec machine = wafer();
  machine.io_controllers = 0;
  return build_bigraph(machine, {.upper = upper,
                                 .lower = lower,
                                 .npus_per_switch = npus_per_switch,
                                 .pair_links = pair_links,
                                 .port_bandwidth = kEthernet});
}

// Over all halves of the switches.
std::uint64_t least_cut_by_trying(const Topology& topology, int switches) {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  const auto first = static_cast<NodeId>(topology.npus.size());
  for (std::uint32_t half = 0; half < 1U << switches; ++half) {
    if (std::popcount(half) != switches / 2) continue;
    const auto is_in = [&](NodeId id) { return (half >> (id - first) & 1U) != 0; };
    std::uint64_t across = 0;
    for (const Link& link : topology.links)
      if (link.from >= first && link.to >= first && is_in(link.from) && !is_in(link.to))
        across += link.bytes_per_second;
    least = std::min(least, across);
  }
  return least;
}

TEST(Bigraph, HasItsParts) {
  for (const auto& [upper, lower, npus, links] :
       {std::array{4, 4, 4, 1}, std::array{2, 2, 2, 2}, std::array{3, 5, 2, 1},
        std::array{1, 4, 3, 2}, std::array{4, 1, 1, 1}, std::array{1, 1, 2, 1}}) {
    const Topology all = bigraph(upper, lower, npus, links);
    SCOPED_TRACE(topology_kind("bigraph").describe(all));
    expect_sound(all);
    EXPECT_EQ(all.npus.size(), static_cast<std::size_t>((upper + lower) * npus));
    EXPECT_EQ(all.links.size(),
              2 * (all.npus.size() + static_cast<std::size_t>(upper * lower * links)));
    EXPECT_TRUE(all.has_layers());
    EXPECT_EQ(std::tuple(all.layers.upper, all.layers.lower, all.layers.pair_links),
              std::tuple(upper, lower, links));
    EXPECT_EQ(all.nodes[node_named(all, "upper0")].switch_index, lower);
    EXPECT_EQ(all.nodes[node_named(all, "upper0")].ports, npus + lower * links);
    EXPECT_EQ(all.nodes[node_named(all, "lower0")].ports, npus + upper * links);
    EXPECT_EQ(bisection_bytes_per_second(all), least_cut_by_trying(all, upper + lower));
    EXPECT_EQ(topology_kind("bigraph").diameter(all), diameter_links(all));
  }
  // Halves of either layer: m*n/2 pairs.
  EXPECT_EQ(bisection_bytes_per_second(bigraph(4, 4, 4, 1)), 8 * kEthernet);
}

TEST(Bigraph, PathsArriveAndWaitInNoCircle) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Random random(seed);
    const auto draw = [&](int most) { return test::random_between(random, 1, most); };
    const int upper = draw(6), lower = draw(6), npus = draw(3), links = draw(3);
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_good_paths(bigraph(upper, lower, npus, links));
  }
}

TEST(Bigraph, BetweenLayersPacketsTakeOneLink) {
  const Topology all = bigraph(3, 4, 2, 2);
  for (int from = 0; from < 8; ++from)
    for (int to = 8; to < 14; ++to) EXPECT_EQ(path_of(all, from, to, 0).size(), 3U);
}

TEST(Bigraph, WhatDoesNotComeOutIsRefused) {
  expect_parts(refusal([] { bigraph(300, 300, 200, 1); }),
               {"fabric.npus_per_switch: found 200", "120000 NPUs; allowed: up to 65536"});
  expect_parts(refusal([] { bigraph(0, 2, 1, 1); }), {"fabric.upper: found 0; allowed: 1 to"});
  EXPECT_NE(bigraph(32, 4, 4, 1).flow_only.find("lower0 with 36 ports"), std::string::npos);
}

}  // namespace
}  // namespace fredsim
