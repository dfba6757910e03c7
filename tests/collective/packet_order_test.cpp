// Order of packets: what its contract says of dues and intervals, on random groups of meshes and toruses.
#include "collective/packet_order.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "fabrics.h"
#include "random_work.h"

namespace fredsim::test {
namespace {

bool has_order(const Plan& plan) {
  return std::ranges::any_of(plan.trees, [](const Tree& tree) { return tree.interval != 0; });
}

const TreeRank& rank_of(const Tree& tree, int rank) {
  return *std::ranges::find(tree.ranks, rank, &TreeRank::rank);
}

// A packet is due later with every hop; no result later than the packet that waits for it by the window.
void check_dues(const Tree& tree, const Part& part) {
  for (const TreeRank& rank : tree.ranks) {
    for (const Send& to : rank.reduce_to) {
      const TreeRank& next = rank_of(tree, to.rank);
      const bool is_root = next.reduce_to.empty();
      EXPECT_LT(rank.sum_due, is_root ? next.result_due : next.sum_due);
    }
    for (const Send& to : rank.broadcast_to)
      EXPECT_LT(rank.result_due, rank_of(tree, to.rank).result_due);
    EXPECT_LT(rank.result_due, static_cast<std::uint64_t>(part.window) * tree.interval);
  }
}

const Tree& longest_of(const Plan& plan, int part) {
  const Tree* longest = nullptr;
  for (const Tree& tree : plan.trees)
    if (tree.part == part && (longest == nullptr || tree.flits > longest->flits)) longest = &tree;
  return *longest;
}

// By their intervals a tree is as long as the longest one, to a packet.
void check_interval(const Tree& tree, const Tree& longest, int packet_flits) {
  const double ratio = static_cast<double>(longest.interval) / static_cast<double>(tree.interval);
  EXPECT_NEAR(static_cast<double>(tree.flits), static_cast<double>(longest.flits) * ratio,
              packet_flits);
}

TEST(PacketOrder, KeepsItsContractOnRandomWorks) {
  int ordered = 0;
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const int width = 2 + static_cast<int>(random.below(4));
    const int height = 2 + static_cast<int>(random.below(3));
    const Topology topology =
        random.below(3) == 0 ? torus(width + 1, height + 1) : mesh(width, height);
    Plan plan;
    try {
      plan = make_plan(topology,
                       random_work(random, static_cast<int>(topology.npus.size()), 3, 16'000'000));
    } catch (const BadInput&) {
      continue;  // what this machine cannot do
    }
    for (const Tree& tree : plan.trees) {
      if (tree.interval == 0) continue;
      ++ordered;
      const Part& part = plan.parts[tree.part];
      check_dues(tree, part);
      check_interval(tree, longest_of(plan, tree.part), part.packet_flits);
    }
  }
  EXPECT_GT(ordered, 20);
}

TEST(PacketOrder, IsOfLongReductionsOnGrids) {
  const auto plan = [](const Topology& topology, Collective collective, std::uint64_t packets,
                       const char* algorithm) {
    return make_plan(topology, collective, first_ranks(4), 4 * packets * 8 * kFlitBytes, algorithm);
  };
  EXPECT_TRUE(has_order(plan(mesh(2, 2), Collective::kAllReduce, 128, "ring")));
  EXPECT_FALSE(has_order(plan(mesh(2, 2), Collective::kAllReduce, 127, "ring")));
  EXPECT_TRUE(has_order(plan(mesh(2, 2), Collective::kReduceScatter, 128, "ring")));
  EXPECT_FALSE(has_order(plan(mesh(2, 2), Collective::kAllGather, 500, "ring")));
  EXPECT_FALSE(has_order(plan(fred_tree({}, false), Collective::kAllReduce, 500, "ring")));
  // Packets of the two sizes of trees on 5 x 4, 13 and 11 in a frame.
  const Plan rings = make_plan(mesh(5, 4), Collective::kAllReduce, first_ranks(20),
                               std::uint64_t{64} << 20, "hier_ring");
  const auto [shorter, longer] = std::ranges::minmax(rings.trees, {}, &Tree::interval);
  EXPECT_EQ(11 * longer.interval, 13 * shorter.interval);
}

}  // namespace
}  // namespace fredsim::test
