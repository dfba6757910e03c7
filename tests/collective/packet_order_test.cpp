// SPDX-License-Identifier: Apache-2.0
// Order of packets: contract of dues and intervals, on random groups of meshes, toruses and FRED
// trees.
#include "collective/detail/packet_order.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "fabrics.h"
#include "support/random_work.h"
#include "systems/make_plan.h"

namespace fredsim::test {
namespace {

bool has_order(const Plan& plan) {
  return std::ranges::any_of(plan.trees, [](const Tree& tree) { return tree.interval != 0; });
}

const TreeRank& order_rank(const Tree& tree, int rank) {
  return *std::ranges::find(tree.ranks, rank, &TreeRank::rank);
}

// A packet is due later with every hop; no result later than the packet that waits for it by the
// window.
void check_dues(const Tree& tree, const Part& part) {
  for (const TreeRank& rank : tree.ranks) {
    for (const Send& to : rank.reduce_to) {
      const TreeRank& next = order_rank(tree, to.rank);
      const bool is_root = next.reduce_to.empty();
      for (const Send& after : is_root ? next.broadcast_to : next.reduce_to)
        EXPECT_LT(to.due, after.due);
    }
    for (const Send& to : rank.broadcast_to) {
      for (const Send& after : order_rank(tree, to.rank).broadcast_to) EXPECT_LT(to.due, after.due);
      EXPECT_LT(to.due, static_cast<std::uint64_t>(part.window) * tree.interval);
    }
  }
}

// On a FRED tree all trees have one interval, which the packets of a channel share evenly, one of
// each.
void check_channels(const Plan& plan, int part) {
  std::map<std::tuple<int, int, int>, std::vector<std::uint64_t>> dues;
  std::uint64_t interval = 0;
  for (const Tree& tree : plan.trees) {
    if (tree.part != part) continue;
    EXPECT_TRUE(interval == 0 || tree.interval == interval);
    interval = tree.interval;
    for (const TreeRank& rank : tree.ranks) {
      for (const auto* sends : {&rank.reduce_to, &rank.broadcast_to})
        for (const Send& to : *sends)
          dues[{rank.rank, to.port, to.vc}].push_back(to.due % interval);
    }
  }
  for (auto& [channel, at] : dues) {
    std::ranges::sort(at);
    for (std::size_t i = 0; i < at.size(); ++i)
      EXPECT_EQ(at[i], (i * interval + at.size() - 1) / at.size());
  }
}

const Tree& longest_of(const Plan& plan, int part) {
  const Tree* longest = nullptr;
  for (const Tree& tree : plan.trees)
    if (tree.part == part && (longest == nullptr || tree.flits > longest->flits)) longest = &tree;
  return *longest;
}

// With their intervals all trees take as long as the longest one, to within a packet.
void check_interval(const Tree& tree, const Tree& longest, int packet_flits) {
  const double ratio = static_cast<double>(longest.interval) / static_cast<double>(tree.interval);
  EXPECT_NEAR(static_cast<double>(tree.flits), static_cast<double>(longest.flits) * ratio,
              packet_flits);
}

Topology random_fabric(Random& random) {
  const int width = 2 + static_cast<int>(random.below(4));
  const int height = 2 + static_cast<int>(random.below(3));
  switch (random.below(3)) {
    case 0:
      return torus(width + 1, height + 1);
    case 1:
      return mesh(width, height);
    default:
      return fred_tree({.l1_switches = width,
                        .npus_per_l1 = height,
                        .slices = 4,
                        .uplinks = 2,
                        .l2_chiplets_per_slice = 1,
                        .uplink_bandwidth = 3'000'000'000'000},
                       false);
  }
}

TEST(PacketOrder, KeepsItsContractOnRandomWorks) {
  int ordered = 0;
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const Topology topology = random_fabric(random);
    Plan plan;
    try {
      plan = make_plan(topology, random_work(random, static_cast<int>(topology.npus.size()), 3,
                                             topology.has_slices() ? 64'000'000 : 16'000'000));
    } catch (const BadInput&) {
      continue;  // not possible on this machine
    }
    for (const Tree& tree : plan.trees) {
      if (tree.interval == 0) continue;
      ++ordered;
      const Part& part = plan.parts[tree.part];
      check_dues(tree, part);
      check_interval(tree, longest_of(plan, tree.part), part.packet_flits);
    }
    for (int part = 0; topology.has_slices() && part < std::ssize(plan.parts); ++part)
      if (longest_of(plan, part).interval != 0) check_channels(plan, part);
  }
  EXPECT_GT(ordered, 20);
}

TEST(PacketOrder, IsOfLongReductions) {
  const auto plan = [](const Topology& topology, Collective collective, std::uint64_t packets,
                       const char* algorithm) {
    return make_plan(topology, collective, first_ranks(4), 4 * packets * 8 * kFlitBytes, algorithm);
  };
  EXPECT_TRUE(has_order(plan(mesh(2, 2), Collective::kAllReduce, 128, "ring")));
  EXPECT_FALSE(has_order(plan(mesh(2, 2), Collective::kAllReduce, 127, "ring")));
  EXPECT_TRUE(has_order(plan(mesh(2, 2), Collective::kReduceScatter, 128, "ring")));
  EXPECT_FALSE(has_order(plan(mesh(2, 2), Collective::kAllGather, 500, "ring")));
  EXPECT_FALSE(has_order(plan(reducing_mesh(2, 2), Collective::kAllReduce, 500, "ring")));
  // Five slices.
  EXPECT_TRUE(has_order(plan(fred_tree({}, false), Collective::kAllReduce, 5 * 128, "ring")));
  EXPECT_FALSE(has_order(plan(fred_tree({}, false), Collective::kAllReduce, 5 * 127, "ring")));
  // Packets of the two sizes of trees on 5 x 4, 13 and 11 in a frame.
  const Plan rings = make_plan(mesh(5, 4), Collective::kAllReduce, first_ranks(20),
                               std::uint64_t{64} << 20, "hier_ring");
  const auto [shorter, longer] = std::ranges::minmax(rings.trees, {}, &Tree::interval);
  EXPECT_EQ(11 * longer.interval, 13 * shorter.interval);
}

}  // namespace
}  // namespace fredsim::test
