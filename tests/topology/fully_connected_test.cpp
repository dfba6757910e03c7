// SPDX-License-Identifier: Apache-2.0
// Switches that are all joined to each other.
#include "topology/fully_connected/fully_connected.h"

#include <gtest/gtest.h>

#include <string>

#include "support.h"
#include "topology/facts.h"
#include "topology/faults.h"

namespace fredsim {
namespace {

constexpr FullyConnectedSpec kFive{
    .switches = 5, .npus_per_switch = 4, .planes = 2, .pair_bandwidth = 400'000'000'000};

MachineSpec on_planes() {
  MachineSpec machine = wafer();
  machine.npu_bandwidth = 1'200'000'000'000;
  return machine;
}

TEST(FullyConnected, Facts) {
  const Topology all = build_fully_connected(on_planes(), kFive);
  expect_sound(all);
  EXPECT_EQ(all.kind, "fully_connected");
  EXPECT_EQ(all.unicasts, UnicastRoutes::kByTable);
  EXPECT_TRUE(all.has_slices());
  EXPECT_FALSE(all.has_places() || all.has_rings() || all.has_levels());
  expect_dimensions(all, {{4, Joined::kSwitches}, {5, Joined::kSwitches}});
  // NIC ports and controllers' ports, and 10 pairs, in both planes.
  EXPECT_EQ(all.links.size(), 2U * 2 * (20 + 18 + 10));
  // Two switches from the other three.
  EXPECT_EQ(bisection_bytes_per_second(all), 6 * kFive.pair_bandwidth);
  EXPECT_EQ(link_named(all, "x1.s1.4->x0.s1.4").bytes_per_second, kFive.pair_bandwidth / 2);
  EXPECT_EQ(link_named(all, "x1.s1.4->x0.s1.4").latency, 30);
  EXPECT_EQ(link_named(all, "npu7.1->x1.s1.3").bytes_per_second, 600'000'000'000U);
}

TEST(FullyConnected, EveryPairHasALinkInEveryPlane) {
  const Topology all = build_fully_connected(on_planes(), kFive);
  for (int i = 0; i < 5; ++i) {
    for (int s = 0; s < 2; ++s) {
      const std::string name = "x" + std::to_string(i) + ".s" + std::to_string(s);
      const Node& chiplet = all.nodes[node_named(all, name)];
      EXPECT_EQ(chiplet.switch_kind, "voq_crossbar");
      EXPECT_EQ(chiplet.ports, 4 + 4 + (i < 3 ? 4 : 3)) << "18 controllers on 5 switches";
      EXPECT_EQ(chiplet.values, (std::vector<NamedValue>{{"P", chiplet.ports}}));
      EXPECT_EQ(chiplet.slice, s);
      EXPECT_EQ(chiplet.switch_index, i);
      EXPECT_EQ(place_name(all, chiplet), "router");
      for (int k = 0; k < 4; ++k) {
        const int other = k < i ? k : k + 1;
        EXPECT_EQ(far_end(all, name, 4 + k), "x" + std::to_string(other) + ".s" +
                                                 std::to_string(s) + "." +
                                                 std::to_string(4 + (i < other ? i : i - 1)));
      }
    }
  }
}

TEST(FullyConnected, WithoutALinkAPairHasTheOtherPlane) {
  Topology all = build_fully_connected(on_planes(), kFive);
  lose_parts(all, {parse_fault("link:x1.s1.4->x0.s1.4", "test")});
  const auto reaches = [&](int from, int to, int plane) {
    return all.failed.leave_path(all.npus[from], all.npus[to], plane);
  };
  EXPECT_FALSE(reaches(0, 4, 1) || reaches(7, 3, 1));
  EXPECT_TRUE(reaches(0, 4, 0) && reaches(7, 3, 0));
  EXPECT_TRUE(reaches(0, 8, 1) && reaches(4, 8, 1) && reaches(0, 3, 1));
}

TEST(FullyConnected, WhatDoesNotComeOutIsRefused) {
  const auto refused = [](const MachineSpec& machine, const FullyConnectedSpec& spec) {
    return refusal([&] { build_fully_connected(machine, spec); });
  };
  FullyConnectedSpec spec = kFive;
  spec.switches = 1;
  expect_parts(refused(on_planes(), spec), {"fabric.switches: found 1; allowed: 2 to 32"});
  spec.switches = 4;
  expect_parts(refused(on_planes(), spec), {"npu.count: found 20, but", "4 x 4 = 16"});
  spec = kFive;
  spec.pair_bandwidth += 1;
  expect_parts(refused(on_planes(), spec),
               {"fabric.pair_bandwidth", "does not divide evenly over 2 planes"});
  MachineSpec machine = on_planes();
  machine.io_controllers = 121;
  expect_parts(refused(machine, kFive),
               {"would have 33 ports (4 NPUs + 4 other switches + 25 I/O"});
}

}  // namespace
}  // namespace fredsim
