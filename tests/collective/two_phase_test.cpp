// SPDX-License-Identifier: Apache-2.0
// two_phase: blocks of all-to-alls on grids, and the corners that they pass. Random grids, groups
// and sizes from seeds.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "fabrics.h"
#include "plan/link_load.h"
#include "plan_evaluator.h"
#include "routing/mesh_routing.h"
#include "support/collective_specs.h"
#include "systems/make_plan.h"

namespace fredsim::test {
namespace {

struct Grid {
  int width = 0, height = 0;
  bool is_torus = false;
  Topology topology() const { return is_torus ? torus(width, height) : mesh(width, height); }
};

Grid random_grid(Random& random) {
  const auto side = [&] { return 3 + static_cast<int>(random.below(4)); };
  const int width = side(), height = side();
  return {width, height, random.below(2) == 0};
}

// Some NPUs at random, of two rows and two columns at least.
std::vector<int> random_group(Random& random, const Grid& grid) {
  std::vector<int> group{0, grid.width + 1};
  for (int npu = 1; npu < grid.width * grid.height; ++npu)
    if (npu != grid.width + 1 && random.below(3) > 0) group.push_back(npu);
  return group;
}

CollectiveSpec all_to_all(Random& random, std::vector<int> group, bool unequal) {
  const std::size_t ranks = group.size();
  CollectiveSpec spec =
      spec_of(unequal ? Collective::kAllToAllV : Collective::kAllToAll, std::move(group),
              1 + random.below(200'000), {.algorithm = "two_phase"});
  if (unequal) {
    spec.bytes = 0;
    for (std::size_t i = 0; i < ranks * ranks; ++i)
      spec.matrix.push_back(i / ranks == i % ranks ? 0 : random.below(20'000));
    for (const std::uint64_t bytes : spec.matrix) spec.bytes += bytes;
  }
  return spec;
}

struct Hop {
  int from = 0, to = 0;
};
std::vector<Hop> hops_of(const Tree& tree) {
  std::vector<Hop> hops;
  for_each_send(tree.ranks, [&](int rank, const Send& send) { hops.push_back({rank, send.rank}); });
  return hops;
}

TEST(TwoPhase, BringsEveryBlockToItsReceiver) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const Grid grid = random_grid(random);
    const Topology topology = grid.topology();
    const std::vector<CollectiveSpec> work{
        all_to_all(random, random_group(random, grid), random.below(2) == 0)};
    const Plan plan = make_plan(topology, work);
    EXPECT_EQ(plan.parts[0].algorithm, "two_phase");
    expect_plan(topology, work, plan);
  }
}

// From the plan's flits alone: a block goes straight, or its halves turn at the two corners, one
// each way round.
TEST(TwoPhase, HalvesGoByBothCornersAndNeverTurn) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const Grid grid = random_grid(random);
    const Topology topology = grid.topology();
    const std::vector<int> all = first_ranks(grid.width * grid.height);
    const Plan plan = make_plan(topology, Collective::kAllToAll, all,
                                all.size() * 512 * (2 + random.below(9)), "two_phase");
    const auto place = [&](int rank) {
      return mesh_position(topology.nodes[topology.npus[rank]].address);
    };
    std::map<std::pair<int, int>, std::map<int, std::uint64_t>> flits;  // by pair and corner
    for (const Tree& tree : plan.trees) {
      const std::vector<Hop> hops = hops_of(tree);
      std::set<int> senders, receivers;
      for (const Hop& hop : hops) {
        EXPECT_NE(place(hop.from).x == place(hop.to).x, place(hop.from).y == place(hop.to).y);
        senders.insert(hop.from);
        receivers.insert(hop.to);
      }
      int from = -1, to = -1, corner = -1;
      for (const Hop& hop : hops) {
        if (!receivers.contains(hop.from)) from = hop.from;
        if (senders.contains(hop.to)) corner = hop.to;
        if (!senders.contains(hop.to)) to = hop.to;
      }
      flits[{from, to}][corner] += tree.flits;
    }
    EXPECT_EQ(flits.size(), all.size() * (all.size() - 1));
    for (const auto& [pair, by_corner] : flits) {
      const MeshPosition from = place(pair.first), to = place(pair.second);
      if (from.x == to.x || from.y == to.y) {
        EXPECT_EQ(by_corner.size(), 1U);
        EXPECT_TRUE(by_corner.contains(-1));
        continue;
      }
      ASSERT_EQ(by_corner.size(), 2U) << pair.first << " to " << pair.second;
      const auto& [one, of_one] = *by_corner.begin();
      const auto& [other, of_other] = *by_corner.rbegin();
      EXPECT_NE(place(one).x, place(other).x);
      EXPECT_NE(place(one).y, place(other).y);
      EXPECT_LE(std::max(of_one, of_other) - std::min(of_one, of_other), 1U);
    }
  }
}

// Blocks of an even number of flits on a w x h mesh: the load of a link between columns k and k +
// 1, each way, is the traffic from the k + 1 columns before it to the columns behind, with a share
// of 1 / h of all rows' pairs on each row.
TEST(TwoPhase, LoadsLinksByTheFormula) {
  constexpr std::uint64_t kFlits = 6;
  for (const auto& [width, height] : {std::pair{5, 4}, {4, 4}, {3, 6}, {7, 2}}) {
    SCOPED_TRACE(fmt::format("{} x {}", width, height));
    const Topology topology = mesh(width, height);
    const int npus = width * height;
    const Plan plan =
        make_plan(topology, Collective::kAllToAll, first_ranks(npus),
                  static_cast<std::uint64_t>(npus) * kFlits * kFlitBytes, "two_phase");
    const std::vector<std::uint64_t> flits = link_flits(topology, plan);
    for (std::size_t l = 0; l < flits.size(); ++l) {
      const Node& from = topology.nodes[topology.links[l].from];
      const Node& to = topology.nodes[topology.links[l].to];
      if (!from.is_switch() || !to.is_switch()) continue;
      const MeshPlace a = from.mesh, b = to.mesh;
      const bool is_x = a.y == b.y;
      const int before = is_x ? std::min(a.x, b.x) + 1 : std::min(a.y, b.y) + 1;
      const int side = is_x ? width : height;
      const int others = is_x ? height : width;
      EXPECT_EQ(flits[l], static_cast<std::uint64_t>(before * (side - before) * others) * kFlits);
    }
  }
}

// A failed NPU of a member relays nothing: the other corner carries the whole block.
TEST(TwoPhase, GoesByTheCornersThatThereAre) {
  const Topology topology = mesh(3, 3);
  const Plan plan = make_plan(topology, Collective::kAllToAll, {0, 2, 8}, 3 * 512 * 4, "two_phase");
  int relayed = 0, straight = 0;
  for (const Tree& tree : plan.trees) ++(hops_of(tree).size() == 2 ? relayed : straight);
  EXPECT_EQ(relayed, 2);  // NPU 0 to NPU 8 and back, by NPU 2: no member is at place (0, 2)
  EXPECT_EQ(straight, 4);
}

TEST(TwoPhase, NeedsRowsAndColumns) {
  for (const auto& [topology, group] :
       {std::pair{mesh(4, 3), std::vector{0, 1, 3}}, {fred_tree(), first_ranks(4)}}) {
    try {
      make_plan(topology, Collective::kAllToAll, group, 4096, "two_phase");
      ADD_FAILURE();
    } catch (const BadInput& error) {
      EXPECT_NE(std::string(error.what()).find("several rows and columns of a grid"),
                std::string::npos)
          << error.what();
    }
  }
}

}  // namespace
}  // namespace fredsim::test
