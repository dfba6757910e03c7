// SPDX-License-Identifier: Apache-2.0
// Link loads of mesh plans, counted here from coordinates alone, against the plan's own bound and
// against the figures of the paper (§3, §8.1).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "fabrics.h"
#include "plan/link_load.h"
#include "plan/mesh_rings.h"
#include "plan_evaluator.h"
#include "systems/make_plan.h"

namespace fredsim {
namespace {

using test::first_ranks;
using Hop = std::tuple<int, int, int, int>;  // from x, y to x, y

std::map<Hop, std::uint64_t> mesh_loads(const Plan& plan, int width) {
  std::map<Hop, std::uint64_t> loads;
  for (const Tree& tree : plan.trees) {
    for (std::size_t r = 0; r < tree.ranks.size(); ++r) {
      const auto walk = [&](const Send& send) {
        int x = plan.parts[0].members[r] % width;
        int y = plan.parts[0].members[r] / width;
        const int to_x = plan.parts[0].members[send.rank] % width;
        const int to_y = plan.parts[0].members[send.rank] / width;
        while (x != to_x || y != to_y) {
          const int next_x = x + (to_x > x) - (to_x < x);
          const int next_y = x != to_x ? y : y + (to_y > y) - (to_y < y);
          loads[{x, y, next_x, next_y}] += tree.flits;
          x = next_x;
          y = next_y;
        }
      };
      std::ranges::for_each(tree.ranks[r].reduce_to, walk);
      std::ranges::for_each(tree.ranks[r].broadcast_to, walk);
    }
  }
  return loads;
}

std::uint64_t busiest(const std::map<Hop, std::uint64_t>& loads) {
  std::uint64_t max = 0;
  for (const auto& [hop, flits] : loads) max = std::max(max, flits);
  return max;
}

Plan whole_wafer(const Topology& topology, std::uint64_t flits,
                 const std::string& algorithm = "paper") {
  return make_plan(topology, Collective::kAllReduce,
                   first_ranks(static_cast<int>(topology.npus.size())), flits * kFlitBytes,
                   algorithm);
}

double link_ns(double flits) { return flits * kFlitBytes / test::kMeshLink * 1e9; }

TEST(MeshLoad, SharesAreExact) {
  EXPECT_EQ(rows_first_share(5, 4), (Rational{11, 24}));
  EXPECT_EQ(rows_first_share(4, 5), (Rational{13, 24}));
  EXPECT_EQ(rows_first_share(4, 4), (Rational{1, 2}));
  EXPECT_EQ(rows_first_share(2, 2), (Rational{1, 2}));
}

// All 62 directed links of the 5 × 4 wafer carry 0.95 D, every NPU sends 1.9 D.
TEST(MeshLoad, PaperWaferIsBalancedToTheFlit) {
  const Topology topology = test::mesh(5, 4);
  const std::uint64_t flits = 480 * 64;
  const Plan plan = whole_wafer(topology, flits);
  const std::map<Hop, std::uint64_t> loads = mesh_loads(plan, 5);
  EXPECT_EQ(loads.size(), 62U);
  for (const auto& [hop, load] : loads) EXPECT_EQ(load, flits * 95 / 100);
  for (const std::uint64_t sent : test::flits_sent(plan)) EXPECT_EQ(sent, flits * 19 / 10);
  EXPECT_DOUBLE_EQ(plan.bound_ns, link_ns(0.95 * static_cast<double>(flits)));
}

TEST(MeshLoad, SixteenMebibytesMeetTheBound) {
  const Topology topology = test::mesh(5, 4);
  const double bytes = 16 * 1024 * 1024;
  const Plan plan = make_plan(topology, Collective::kAllReduce, first_ranks(20),
                              static_cast<std::uint64_t>(bytes), "paper");
  EXPECT_NEAR(plan.bound_ns, 0.95 * bytes / 750e9 * 1e9, 0.001 * plan.bound_ns);
  EXPECT_DOUBLE_EQ(plan.bound_ns, link_ns(static_cast<double>(busiest(mesh_loads(plan, 5)))));
}

TEST(MeshLoad, EveryShapeIsBalanced) {
  for (int width = 2; width <= 7; ++width) {
    for (int height = 2; height <= 7; ++height) {
      SCOPED_TRACE(fmt::format("{} x {}", width, height));
      const Topology topology = test::mesh(width, height);
      // A multiple of (cells × denominator of the share): every tree gets a whole number of flits.
      const int unit = width * height * 2 * (width - 1) * (height - 1);
      const Plan plan = whole_wafer(topology, static_cast<std::uint64_t>(unit));
      const std::map<Hop, std::uint64_t> loads = mesh_loads(plan, width);
      const std::uint64_t max = busiest(loads);
      for (const auto& [hop, load] : loads) EXPECT_EQ(load, max);
      EXPECT_DOUBLE_EQ(plan.bound_ns, link_ns(static_cast<double>(max)));
      // An equal split is never better.
      const double w = width;
      const double h = height;
      const double halves = std::max((w - 1) / w * (1 + 1 / h), (h - 1) / h * (1 + 1 / w));
      EXPECT_LE(static_cast<double>(max), halves * unit * (1 + 1e-12));
      const auto n = static_cast<std::uint64_t>(width * height);
      for (const std::uint64_t sent : test::flits_sent(plan))
        EXPECT_EQ(sent, 2 * (n - 1) * static_cast<std::uint64_t>(unit) / n);
    }
  }
}

// Short vectors cannot be balanced, but no link is far above its share.
TEST(MeshLoad, ShortVectorsSpread) {
  const Topology topology = test::mesh(5, 4);
  for (std::uint64_t flits = 1; flits <= 480; ++flits) {
    const Plan plan = whole_wafer(topology, flits);
    const auto max = static_cast<double>(busiest(mesh_loads(plan, 5)));
    EXPECT_LE(max, 0.95 * static_cast<double>(flits) + 4) << flits;
    std::map<int, int> owned;  // trees of one flit or more per root
    for (const Tree& tree : plan.trees) ++owned[tree.order.postfix().front()];
    for (const auto& [root, trees] : owned) EXPECT_LE(trees, 2) << flits;
    EXPECT_GE(owned.size(), std::min<std::size_t>(20, (flits + 1) / 2)) << flits;
  }
}

// The ring of a group: 2(N-1)/N of the vector leaves every member; neighbours run at link rate.
TEST(MeshLoad, GroupRings) {
  const Topology topology = test::mesh(5, 4);
  const std::uint64_t flits = 6000;
  for (const std::vector<int>& group :
       {std::vector<int>{0, 1}, {5, 6, 7, 8, 9}, {0, 4, 8, 12, 16}}) {
    const Plan plan =
        make_plan(topology, Collective::kAllReduce, group, flits * kFlitBytes, "paper");
    const std::uint64_t n = group.size();
    for (const std::uint64_t sent : test::flits_sent(plan))
      EXPECT_EQ(sent, 2 * (n - 1) * flits / n);
    EXPECT_DOUBLE_EQ(plan.bound_ns, link_ns(static_cast<double>(busiest(mesh_loads(plan, 5)))));
  }
  const Plan pair =
      make_plan(topology, Collective::kAllReduce, {0, 1}, flits * kFlitBytes, "paper");
  EXPECT_DOUBLE_EQ(pair.bound_ns, link_ns(static_cast<double>(flits)));
}

// Ring over the whole wafer: each link of the Hamiltonian cycle once, 1.9 D in one direction.
TEST(MeshLoad, WholeWaferRing) {
  const Topology topology = test::mesh(5, 4);
  const std::uint64_t flits = 2000;
  const Plan plan = whole_wafer(topology, flits, "ring");
  EXPECT_EQ(plan.parts[0].algorithm, "ring");
  const std::map<Hop, std::uint64_t> loads = mesh_loads(plan, 5);
  EXPECT_EQ(loads.size(), 20U);
  for (const auto& [hop, load] : loads) EXPECT_EQ(load, flits * 19 / 10);
}

// link_flits gives the same load on mesh links, and sent and received flits on the NPUs' own ports.
TEST(MeshLoad, LinkFlitsAgreeWithTheCount) {
  const Topology topology = test::mesh(5, 4);
  for (const std::string algorithm : {"hier_ring", "ring"}) {
    const Plan plan = whole_wafer(topology, 1234, algorithm);
    std::map<Hop, std::uint64_t> loads = mesh_loads(plan, 5);
    const std::vector<std::uint64_t> flits = link_flits(topology, plan);
    std::map<NodeId, std::uint64_t> into_npu;
    std::map<NodeId, std::uint64_t> out_of_npu;
    for (std::size_t l = 0; l < flits.size(); ++l) {
      const Link& link = topology.links[l];
      const Node& from = topology.nodes[link.from];
      const Node& to = topology.nodes[link.to];
      if (from.kind == NodeKind::kNpu)
        out_of_npu[link.from] += flits[l];
      else if (to.kind == NodeKind::kNpu)
        into_npu[link.to] += flits[l];
      else
        EXPECT_EQ(flits[l], (loads[Hop{from.mesh.x, from.mesh.y, to.mesh.x, to.mesh.y}]));
    }
    const std::vector<std::uint64_t> sent = test::flits_sent(plan);
    std::uint64_t injected = 0;
    std::uint64_t ejected = 0;
    for (std::size_t r = 0; r < sent.size(); ++r) {
      EXPECT_EQ(out_of_npu[plan.parts[0].members[r]], sent[r]);
      injected += sent[r];
      ejected += into_npu[plan.parts[0].members[r]];
    }
    EXPECT_EQ(injected, ejected);
  }
}

// A flit reaches its NPU by the local port that mirrors the side it came in by.
TEST(MeshLoad, ArrivalsUseTheFacingLocalPort) {
  const Topology topology = test::mesh(5, 4);
  const auto arrivals = [&](int a, int b) {
    const Plan plan =
        make_plan(topology, Collective::kAllReduce, {a, b}, 100 * kFlitBytes, "paper");
    const std::vector<std::uint64_t> flits = link_flits(topology, plan);
    std::vector<std::uint64_t> per_port;
    per_port.reserve(4);
    for (int p = 0; p < 4; ++p) per_port.push_back(flits[topology.link_in(topology.npus[b], p)]);
    return per_port;
  };
  EXPECT_EQ(arrivals(6, 8), (std::vector<std::uint64_t>{0, 0, 0, 100}));   // from the west
  EXPECT_EQ(arrivals(8, 6), (std::vector<std::uint64_t>{0, 100, 0, 0}));   // from the east
  EXPECT_EQ(arrivals(6, 13), (std::vector<std::uint64_t>{100, 0, 0, 0}));  // turned, from the north
  EXPECT_EQ(arrivals(13, 6), (std::vector<std::uint64_t>{0, 0, 100, 0}));  // turned, from the south
}

}  // namespace
}  // namespace fredsim
