// SPDX-License-Identifier: Apache-2.0
// 3D torus: nodes, rings, bisection, paths, and refused input.
#include "topology/torus3d/torus3d.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>

#include "support.h"
#include "topology/dimension_order.h"
#include "topology/facts.h"
#include "topology/faults.h"

namespace fredsim {
namespace {

constexpr std::uint64_t kRing = 200'000'000'000;

Topology torus(std::array<int, 3> sides, int planes = 1, int io_controllers = 0) {
  MachineSpec machine = wafer();
  machine.npus = sides[0] * sides[1] * sides[2];
  machine.npu_bandwidth = 1'200'000'000'000;
  machine.io_controllers = io_controllers;
  if (planes == 1) machine.npu_bandwidth /= 2;
  return build_torus3d(machine, {.sides = sides, .planes = planes, .ring_bandwidth = kRing});
}

TEST(Torus3d, Facts) {
  const Topology all = torus({4, 3, 2}, 2, 30);
  expect_sound(all);
  EXPECT_EQ(all.kind, "torus3d");
  EXPECT_EQ(all.unicasts, UnicastRoutes::kByTable);
  EXPECT_TRUE(all.has_slices() && all.has_rings() && goes_along_dimensions(all));
  EXPECT_FALSE(all.has_places() || all.has_levels());
  expect_dimensions(all, {{4, Joined::kRing}, {3, Joined::kRing}, {2, Joined::kLine}});
  // NPUs and controllers, and rings: 24 along x, 24 along y, 12 along z; both planes, both ways.
  EXPECT_EQ(all.links.size(), 2U * 2 * (24 + 30 + 24 + 24 + 12));
  const Node& first = all.nodes[node_named(all, "t0_0_0.s0")];
  EXPECT_EQ(first.ports, 1 + 2 + 2 + 1 + 2) << "30 controllers on 24 switches";
  EXPECT_EQ(all.nodes[node_named(all, "t3_2_1.s1")].ports, 1 + 2 + 2 + 1 + 1);
  EXPECT_EQ(first.switch_kind, "voq_crossbar");
  EXPECT_EQ(place_name(all, first), "router");
  const Link& ring = link_named(all, "t3_0_0.s1.1->t0_0_0.s1.2");
  EXPECT_EQ(ring.bytes_per_second, kRing / 2);
  EXPECT_EQ(ring.latency, 30);
}

TEST(Torus3d, RingsAreClosed) {
  const Topology all = torus({4, 3, 2});
  EXPECT_EQ(far_end(all, "t0_0_0.s0", 0), "npu0.0");
  EXPECT_EQ(far_end(all, "t1_0_0.s0", 1), "t2_0_0.s0.2");
  EXPECT_EQ(far_end(all, "t0_0_0.s0", 2), "t3_0_0.s0.1");
  EXPECT_EQ(far_end(all, "t0_0_0.s0", 3), "t0_1_0.s0.4");
  EXPECT_EQ(far_end(all, "t0_0_0.s0", 4), "t0_2_0.s0.3");
  EXPECT_EQ(far_end(all, "t0_0_0.s0", 5), "t0_0_1.s0.5");
}

TEST(Torus3d, BisectionIsThatOfTheSmallestCut) {
  EXPECT_EQ(bisection_bytes_per_second(torus({4, 4, 4})), 2 * 16 * kRing);
  EXPECT_EQ(bisection_bytes_per_second(torus({8, 4, 4})), 2 * 16 * kRing);
  EXPECT_EQ(bisection_bytes_per_second(torus({2, 3, 3})), 9 * kRing);
  EXPECT_EQ(bisection_bytes_per_second(torus({5, 3, 3})), 2 * 9 * kRing);
  EXPECT_EQ(bisection_bytes_per_second(torus({3, 3, 8})), 2 * 9 * kRing);
  EXPECT_EQ(bisection_bytes_per_second(torus({1, 2, 1})), kRing);
}

TEST(DimensionOrder, LeadsPastNoSwitchAtPlace0) {
  for (int side = 3; side <= 12; ++side) {
    const TopologyDimension ring{side, Joined::kRing};
    for (int from = 0; from < side; ++from) {
      for (int to = 0; to < side; ++to) {
        if (from == to) continue;
        const int direction = direction_along(ring, from, to);
        int hops = 0;
        for (int at = from; at != to; ++hops) {
          ASSERT_LT(hops, side);
          EXPECT_EQ(direction_along(ring, at, to), direction) << "turns back";
          EXPECT_TRUE(hops == 0 || at != 0) << side << ": " << from << " to " << to;
          at = (at + direction + side) % side;
        }
        const int distance = std::abs(from - to);
        const int shortest = std::min(distance, side - distance);
        EXPECT_TRUE(hops == shortest || (side > 4 && from != 0 && to != 0)) << side;
      }
    }
  }
}

TEST(DimensionOrder, TakesOneDimensionAfterTheOther) {
  const Topology all = torus({4, 3, 2});
  // From (3, 2, 0) to (0, 0, 1), numbers 11 and 12.
  EXPECT_EQ(next_switch(all, 11, 12), 8);
  EXPECT_EQ(next_switch(all, 8, 12), 0);
  EXPECT_EQ(next_switch(all, 0, 12), 12);
}

TEST(Torus3d, WithoutALinkTheOtherPlaneIsLeft) {
  Topology all = torus({4, 2, 1}, 2);
  lose_parts(all, {parse_fault("link:t1_0_0.s0.1->t2_0_0.s0.2", "test")});
  const auto reaches = [&](int from, int to, int plane) {
    return all.failed.leave_path(all.npus[from], all.npus[to], plane);
  };
  // Paths from x = 1 to 2 and 3, and back; not around by x = 0.
  EXPECT_FALSE(reaches(1, 2, 0) || reaches(2, 1, 0) || reaches(1, 3, 0) || reaches(3, 1, 0));
  EXPECT_FALSE(reaches(5, 2, 0)) << "back, along x first, over the lost link";
  EXPECT_TRUE(reaches(0, 3, 0) && reaches(0, 1, 0) && reaches(2, 3, 0) && reaches(5, 6, 0));
  for (int from = 0; from < 8; ++from)
    for (int to = 0; to < 8; ++to) EXPECT_TRUE(reaches(from, to, 1));
}

TEST(Torus3d, WhatDoesNotComeOutIsRefused) {
  const auto refused = [](int npus, const Torus3dSpec& spec, int io_controllers = 0) {
    MachineSpec machine = wafer();
    machine.npus = npus;
    machine.io_controllers = io_controllers;
    return refusal([&] { build_torus3d(machine, spec); });
  };
  expect_parts(refused(20, {.sides = {4, 2, 2}, .ring_bandwidth = kRing}),
               {"npu.count: found 20", "4 x 2 x 2 = 16"});
  expect_parts(refused(1, {.sides = {1, 1, 1}, .ring_bandwidth = kRing}), {"2 or more"});
  expect_parts(refused(16, {.sides = {4, 0, 2}, .ring_bandwidth = kRing}),
               {"fabric.size_y: found 0; allowed: 1 to 64"});
  expect_parts(refused(8, {.sides = {4, 2, 1}, .planes = 3, .ring_bandwidth = kRing}),
               {"does not divide evenly over 3 planes"});
  expect_parts(refused(8, {.sides = {4, 2, 1}, .ring_bandwidth = kRing}, 8 * 28 + 1),
               {"io.count: found 225, 29 on a switch; allowed: up to 28 on each of 8"});
}

}  // namespace
}  // namespace fredsim
