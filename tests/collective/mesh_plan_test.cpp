// SPDX-License-Identifier: Apache-2.0
// Trees of ring and hier_ring: order of additions, and delivery of the result to every rank.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "base/random.h"
#include "fabrics.h"
#include "plan/mesh_rings.h"
#include "plan_evaluator.h"
#include "systems/make_plan.h"

namespace fredsim {
namespace {

using test::first_ranks;

Plan mesh_all_reduce(const Topology& topology, const std::vector<int>& group, std::uint64_t flits,
                     const std::string& algorithm = "paper") {
  return make_plan(topology, Collective::kAllReduce, group, flits * kFlitBytes, algorithm);
}

std::vector<int> random_group(Random& random, int npus, int size) {
  std::vector<int> all = first_ranks(npus);
  for (int i = npus - 1; i > 0; --i)
    std::swap(all[i], all[random.below(static_cast<std::uint64_t>(i) + 1)]);
  all.resize(size);
  return all;
}

TEST(MeshPlan, HierRingServesEveryone) {
  for (const auto& [width, height] : {std::pair{5, 4}, {4, 5}, {2, 2}, {2, 7}, {3, 3}, {8, 3}}) {
    const Topology topology = test::mesh(width, height);
    for (const std::uint64_t flits : {1, 2, 3, 7, 40, 41, 1000, 32768}) {
      SCOPED_TRACE(fmt::format("{} x {}, {} flits", width, height, flits));
      const Plan plan = mesh_all_reduce(topology, first_ranks(width * height), flits);
      EXPECT_EQ(plan.parts[0].algorithm, "hier_ring");
      test::expect_all_reduce(topology, plan);
      EXPECT_LE(plan.trees.size(), 2U * static_cast<std::size_t>(width * height));
    }
  }
}

TEST(MeshPlan, RanksOfTheWholeWaferMayComeInAnyOrder) {
  const Topology topology = test::mesh(5, 4);
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const std::vector<int> group = random_group(random, 20, 20);
    for (const std::string algorithm : {"hier_ring", "ring"}) {
      const Plan plan = mesh_all_reduce(topology, group, 480, algorithm);
      EXPECT_EQ(plan.parts[0].algorithm, algorithm);
      for (int r = 0; r < 20; ++r) EXPECT_EQ(plan.parts[0].members[r], topology.npus[group[r]]);
      test::expect_all_reduce(topology, plan);
      // Every hop of either ring stays on one line.
      for (const Tree& tree : plan.trees) {
        for (std::size_t r = 0; r < tree.ranks.size(); ++r) {
          for (const Send& send : tree.ranks[r].reduce_to) {
            const int a = group[r];
            const int b = group[send.rank];
            EXPECT_TRUE(a % 5 == b % 5 || a / 5 == b / 5);
          }
        }
      }
    }
  }
}

// Order of additions: local first, then the row chain's partial, then the column chain's.
TEST(MeshPlan, HierRingAddsInThePrescribedOrder) {
  constexpr int kAdd = SumOrder::kAdd;
  const Topology topology = test::mesh(2, 2);
  const Plan plan = mesh_all_reduce(topology, first_ranks(4), 800);
  ASSERT_EQ(plan.trees.size(), 8U);
  // First tree: rows first, owner (0, 0). Row partials end in column 0, then
  // row 1 flows into row 0.
  EXPECT_EQ(plan.trees[0].order.postfix(), (std::vector<int>{0, 1, kAdd, 2, 3, kAdd, kAdd}));
  EXPECT_EQ(plan.trees[0].ranks[0].reduce_from, (std::vector<int>{1, 2}));
  // Columns first, owner (0, 0): column partials end in row 0, then column 1 flows into column 0.
  const auto columns = std::ranges::find_if(plan.trees, [](const Tree& tree) {
    return tree.ranks[0].reduce_from == std::vector<int>{2, 1};
  });
  ASSERT_NE(columns, plan.trees.end());
  EXPECT_EQ(columns->order.postfix(), (std::vector<int>{0, 2, kAdd, 1, 3, kAdd, kAdd}));
}

TEST(MeshPlan, SendsLeaveByThePortThatFacesTheWay) {
  const Topology topology = test::mesh(5, 4);
  const Plan plan = mesh_all_reduce(topology, first_ranks(20), 480);
  for (const Tree& tree : plan.trees) {
    for (int r = 0; r < 20; ++r) {
      const auto check = [&](const Send& send) {
        const int dx = send.rank % 5 - r % 5;
        const int dy = send.rank / 5 - r / 5;
        EXPECT_EQ(send.port, dx > 0 ? kEast : dx < 0 ? kWest : dy > 0 ? kSouth : kNorth);
      };
      std::ranges::for_each(tree.ranks[r].reduce_to, check);
      std::ranges::for_each(tree.ranks[r].broadcast_to, check);
    }
  }
}

TEST(MeshPlan, RingServesAnyGroup) {
  const Topology topology = test::mesh(5, 4);
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const int size = 1 + static_cast<int>(random.below(19));
    const std::uint64_t flits = 1 + random.below(200);
    const Plan plan = mesh_all_reduce(topology, random_group(random, 20, size), flits);
    EXPECT_EQ(plan.parts[0].algorithm, "ring");
    test::expect_all_reduce(topology, plan);
  }
}

TEST(MeshPlan, RingRunsInGroupOrder) {
  const Topology topology = test::mesh(5, 4);
  const Plan plan = mesh_all_reduce(topology, {7, 3, 12, 0}, 400);
  ASSERT_EQ(plan.trees.size(), 4U);
  for (int k = 0; k < 4; ++k) {
    for (int r = 0; r < 4; ++r) {
      const TreeRank& rank = plan.trees[k].ranks[r];
      if (r == k)
        EXPECT_TRUE(rank.reduce_to.empty());
      else
        EXPECT_EQ(rank.reduce_to.at(0).rank, (r + 1) % 4);
      if ((r + 1) % 4 == k)
        EXPECT_TRUE(rank.broadcast_to.empty());
      else
        EXPECT_EQ(rank.broadcast_to.at(0).rank, (r + 1) % 4);
    }
  }
}

TEST(MeshPlan, RingOrderIsHamiltonianWherePossible) {
  for (int width = 1; width <= 8; ++width) {
    for (int height = 1; height <= 8; ++height) {
      SCOPED_TRACE(fmt::format("{} x {}", width, height));
      const std::vector<int> ring = mesh_ring(width, height);
      std::vector<int> sorted = ring;
      std::ranges::sort(sorted);
      ASSERT_EQ(sorted, first_ranks(width * height));
      const bool cycle = width > 1 && height > 1 && width * height % 2 == 0;
      const std::size_t edges = ring.size() - (cycle ? 0 : 1);
      for (std::size_t e = 0; e < edges; ++e) {
        const int a = ring[e];
        const int b = ring[(e + 1) % ring.size()];
        EXPECT_EQ(std::abs(a % width - b % width) + std::abs(a / width - b / width), 1);
      }
    }
  }
}

TEST(MeshPlan, LinesUseARing) {
  for (const auto& [width, height] : {std::pair{6, 1}, {1, 5}, {1, 1}, {2, 1}}) {
    const Topology topology = test::mesh(width, height);
    const Plan plan = mesh_all_reduce(topology, first_ranks(width * height), 600);
    EXPECT_EQ(plan.parts[0].algorithm, "ring");
    test::expect_all_reduce(topology, plan);
  }
}

}  // namespace
}  // namespace fredsim
