// SPDX-License-Identifier: Apache-2.0
// Combs: loads of links counted here from coordinates alone, against the bound that the contract
// states.
#include "collective/detail/multi_tree.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/random.h"
#include "fabrics.h"
#include "plan_evaluator.h"
#include "systems/make_plan.h"
#include "topology/topology.h"

namespace fredsim {
namespace {

using test::first_ranks;
using TreeHop = std::pair<int, int>;  // from cell to cell

// Every hop must be one between neighbours of the grid.
std::map<TreeHop, std::uint64_t> loads_of(const Topology& topology, const Plan& plan) {
  const int width = topology.grid.width;
  const int height = topology.grid.height;
  const bool torus = topology.has_rings();
  std::map<TreeHop, std::uint64_t> loads;
  for (const Tree& tree : plan.trees) {
    for (const TreeRank& rank : tree.ranks) {
      const auto hop = [&](const Send& send) {
        const int from = plan.parts[0].members[rank.rank];
        const int to = plan.parts[0].members[send.rank];
        int dx = std::abs(from % width - to % width);
        int dy = std::abs(from / width - to / width);
        if (torus) dx = std::min(dx, width - dx);
        if (torus) dy = std::min(dy, height - dy);
        EXPECT_EQ(dx + dy, 1) << from << " to " << to;
        loads[{from, to}] += tree.flits;
      };
      std::ranges::for_each(rank.reduce_to, hop);
      std::ranges::for_each(rank.broadcast_to, hop);
    }
  }
  return loads;
}

std::uint64_t busiest_hop(const std::map<TreeHop, std::uint64_t>& loads) {
  std::uint64_t max = 0;
  for (const auto& [hop, flits] : loads) max = std::max(max, flits);
  return max;
}

Plan whole(const Topology& topology, Collective collective, std::uint64_t flits) {
  return make_plan(topology, collective, first_ranks(static_cast<int>(topology.npus.size())),
                   flits * kFlitBytes, "multi_tree");
}

// (N - 1) / E of the vector on every link of a mesh, each way.
TEST(MultiTree, AllReduceLoadsAllLinksOfAMeshAlike) {
  for (int width = 1; width <= 8; ++width) {
    for (int height = 1; height <= 8; ++height) {
      if (width * height == 1) continue;
      SCOPED_TRACE(fmt::format("{} x {}", width, height));
      const Topology topology = test::mesh(width, height);
      const auto npus = static_cast<std::uint64_t>(width * height);
      const auto links = static_cast<std::uint64_t>(2 * width * height - width - height);
      const Plan plan = whole(topology, Collective::kAllReduce, 8 * links);
      const std::map<TreeHop, std::uint64_t> loads = loads_of(topology, plan);
      EXPECT_EQ(loads.size(), 2 * links);
      for (const auto& [hop, flits] : loads) EXPECT_EQ(flits, 8 * (npus - 1));
      EXPECT_LE(plan.trees.size(), static_cast<std::size_t>(width + height));
      EXPECT_DOUBLE_EQ(plan.bound_ns,
                       static_cast<double>(8 * (npus - 1)) * kFlitBytes / test::kMeshLink * 1e9);
    }
  }
}

// On a torus, likewise, within rounding to flits: one flit per comb that uses a link.
TEST(MultiTree, AllReduceLoadsAllLinksOfATorusAlike) {
  for (const auto& [width, height] :
       {std::pair{5, 4}, {4, 5}, {3, 3}, {8, 8}, {2, 5}, {7, 3}, {1, 6}, {6, 1}}) {
    SCOPED_TRACE(fmt::format("{} x {}", width, height));
    const Topology topology = test::torus(width, height);
    const int per_row = width > 2 ? width : width - 1;
    const int per_column = height > 2 ? height : height - 1;
    const int links = per_row * height + per_column * width;
    const double flits = 100'000;
    const Plan plan = whole(topology, Collective::kAllReduce, static_cast<std::uint64_t>(flits));
    const auto max = static_cast<double>(busiest_hop(loads_of(topology, plan)));
    const double bound = (width * height - 1) * flits / links;
    EXPECT_GE(max, bound * 0.999999);
    EXPECT_LE(max, bound + static_cast<double>(plan.trees.size()));
  }
}

// Every link carries the load of a corner's two links, (N - 1) / N of the blocks over two, on a
// torus over four: except for rings of even length and one flit per tree.
TEST(MultiTree, BlocksLoadTheLinksOfACornerAlike) {
  for (const bool torus : {false, true}) {
    for (const auto& [width, height] : {std::pair{5, 4}, {4, 4}, {3, 7}, {8, 6}}) {
      for (const Collective collective : {Collective::kReduceScatter, Collective::kAllGather}) {
        SCOPED_TRACE(fmt::format("{} x {} {}", width, height, torus ? "torus" : "mesh"));
        const Topology topology = torus ? test::torus(width, height) : test::mesh(width, height);
        const int npus = width * height;
        const double flits = 1000.0 * npus;
        const Plan plan = whole(topology, collective, static_cast<std::uint64_t>(flits));
        const auto max = static_cast<double>(busiest_hop(loads_of(topology, plan)));
        const double bound = flits * (npus - 1) / npus / (torus ? 4 : 2);
        EXPECT_LE(max, bound * (torus ? 1.11 : 1.002) + 2 * npus);
      }
    }
  }
}

TEST(MultiTree, ServesAnyRectangle) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const auto below = [&](int n) {
      return static_cast<int>(random.below(static_cast<std::uint64_t>(n)));
    };
    const int width = 1 + below(6);
    const int height = 1 + below(6);
    const Topology topology =
        random.below(2) == 0 ? test::mesh(width, height) : test::torus(width, height);
    const int left = below(width);
    const int top = below(height);
    const int columns = 1 + below(width - left);
    const int rows = 1 + below(height - top);
    if (columns * rows == 1) continue;
    CollectiveSpec spec;
    for (int y = top; y < top + rows; ++y)
      for (int x = left; x < left + columns; ++x) spec.group.push_back(y * width + x);
    for (std::size_t i = spec.group.size() - 1; i > 0; --i)
      std::swap(spec.group[i], spec.group[random.below(i + 1)]);
    spec.algorithm = "multi_tree";
    spec.bytes = 1 + random.below(random.below(2) == 0 ? 5000 : 500'000);
    for (const Collective collective :
         {Collective::kAllReduce, Collective::kReduceScatter, Collective::kAllGather}) {
      spec.collective = collective;
      const Plan plan = make_plan(topology, {&spec, 1});
      EXPECT_EQ(plan.parts[0].algorithm, "multi_tree");
      test::expect_plan(topology, {&spec, 1}, plan);
    }
  }
}

TEST(MultiTree, ServesAnyRootOfAMesh) {
  for (const auto& [width, height] : {std::pair{5, 4}, {3, 3}, {1, 5}}) {
    const Topology topology = test::mesh(width, height);
    for (int root = 0; root < width * height; ++root) {
      CollectiveSpec spec;
      spec.group = first_ranks(width * height);
      spec.algorithm = "multi_tree";
      spec.bytes = 30'000;
      spec.root = root;
      for (const Collective collective :
           {Collective::kReduce, Collective::kBroadcast, Collective::kMulticast}) {
        SCOPED_TRACE(
            fmt::format("{} x {}, root {}, {}", width, height, root, to_string(collective)));
        spec.collective = collective;
        test::expect_plan(topology, {&spec, 1}, make_plan(topology, {&spec, 1}));
      }
    }
  }
}

// All-reduces of other groups: packed_trees_test.cpp.
TEST(MultiTree, BlocksAreForRectanglesOfAGridOnly) {
  const auto refusal = [](const Topology& topology, const std::vector<int>& group) {
    try {
      make_plan(topology, Collective::kReduceScatter, group, 4096, "multi_tree");
    } catch (const BadInput& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(refusal(test::mesh(5, 4), {0, 1, 5})
                .find("algorithm: multi_tree needs a group that fills a rectangle"),
            0U);
  EXPECT_EQ(refusal(test::fred_tree(), {0, 1})
                .find("algorithm: multi_tree needs a group that fills a rectangle"),
            0U);
}

}  // namespace
}  // namespace fredsim
