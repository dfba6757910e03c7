// SPDX-License-Identifier: Apache-2.0
// Systems of dimensions: positions, nodes, links, addresses, bisection and diameter, and refused
// input.
#include "topology/dimensions/dimensions.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "support.h"
#include "support/random_range.h"
#include "topology/facts.h"
#include "topology/fred_tree/fred_tree.h"
#include "topology/system.h"
#include "topology/torus3d/torus3d.h"

namespace fredsim {
namespace {

constexpr std::uint64_t kGb = 1'000'000'000;

MachineSpec common() {
  MachineSpec machine;
  machine.name = "system";
  machine.clock_hz = 1'500'000'000;
  return machine;
}

DimensionSpec dimension(BlockShape shape, int size, std::uint64_t bandwidth, int links = 0) {
  static const std::vector<std::string> kWords{"ring", "fully_connected", "switch", "line"};
  DimensionSpec spec;
  spec.word = kWords[static_cast<std::size_t>(shape)];
  spec.block = {.shape = shape,
                .key = "fabric.dimensions.1",
                .size = size,
                .bandwidth = bandwidth,
                .links = links > 0 ? links : default_links(shape, size),
                .latency_ps = 100'000};
  return spec;
}

Topology system_of(std::vector<DimensionSpec> dimensions) {
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    dimensions[d].name = "d" + std::to_string(d);
    dimensions[d].block.key = "fabric.dimensions." + std::to_string(d + 1);
  }
  return build_dimensions(common(), std::move(dimensions));
}

Topology two_levels() {
  return build_fred_tree(wafer(), {.tree = {levels_of({.l1_switches = 5,
                                                       .npus_per_l1 = 4,
                                                       .uplinks = 4,
                                                       .l2_chiplets_per_slice = 2,
                                                       .uplink_bandwidth = 12'000 * kGb})},
                                   .slices = 5,
                                   .middle = 3,
                                   .in_switch = true});
}

TEST(Dimensions, NodesAndLinksAreThoseOfAllGroups) {
  const Topology all = system_of({dimension(BlockShape::kRing, 4, 100 * kGb),
                                  dimension(BlockShape::kFullyConnected, 3, 90 * kGb),
                                  dimension(BlockShape::kSwitch, 5, 50 * kGb)});
  ASSERT_EQ(all.npus.size(), 60U);
  EXPECT_TRUE(all.has_blocks() && all.flow_only.empty());
  EXPECT_EQ(all.nodes.size(), 60U + 60 + 60 + 12);
  // Both ways: to the switch on each die and round the rings; to the switch on the die and 3 pairs
  // in each group; 5 to each switch.
  EXPECT_EQ(all.links.size(), 2U * (60 + 60 + 60 + 20 * 3 + 60));
  EXPECT_EQ(all.nodes[0].ports, 3);
  EXPECT_EQ(far_end(all, "npu7", 0), "d0.1.r3.s0.0") << "NPU 7: places 3, 1, 0";
  EXPECT_EQ(far_end(all, "npu7", 1), "d1.3.x1.s0.0");
  EXPECT_EQ(far_end(all, "npu7", 2), "d2.7.l1_0.s0.0");
  EXPECT_EQ(far_end(all, "npu19", 2), "d2.7.l1_0.s0.1");
  EXPECT_EQ(far_end(all, "d0.1.r3.s0", 1), "d0.1.r0.s0.2") << "a ring is closed";
}

TEST(Dimensions, LinksShareTheBandwidthOfAnNpu) {
  const Topology all = system_of({dimension(BlockShape::kRing, 8, 400 * kGb, 4),
                                  dimension(BlockShape::kFullyConnected, 4, 90 * kGb, 6),
                                  dimension(BlockShape::kSwitch, 2, 50 * kGb, 2)});
  EXPECT_EQ(all.nodes[0].ports, 2 + 2 + 2) << "a port per plane";
  EXPECT_EQ(link_named(all, "d0.0.r0.s1.1->d0.0.r1.s1.2").bytes_per_second, 100 * kGb);
  EXPECT_EQ(link_named(all, "d1.0.x0.s1.1->d1.0.x1.s1.1").bytes_per_second, 15 * kGb);
  EXPECT_EQ(link_named(all, "npu0.4->d2.0.l1_0.s0.0").bytes_per_second, 25 * kGb);
  EXPECT_EQ(link_named(all, "d0.0.r0.s1.1->d0.0.r1.s1.2").latency, 150);
  EXPECT_TRUE(link_named(all, "npu0.0->d0.0.r0.s0.0").on_die);
}

// Places and groups of random systems, against numbers counted one by one.
TEST(Dimensions, PlacesAreThoseOfANumberInMixedBase) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    std::vector<DimensionSpec> specs;
    std::vector<int> sizes;
    for (int d = test::random_between(random, 1, 4); d > 0; --d) {
      sizes.push_back(test::random_between(random, 2, 5));
      specs.push_back(dimension(static_cast<BlockShape>(random.below(4)), sizes.back(),
                                static_cast<std::uint64_t>(60) * kGb));
    }
    const Topology all = system_of(specs);
    const SystemPlaces places(all);
    ASSERT_EQ(places.npus(), std::accumulate(sizes.begin(), sizes.end(), 1, std::multiplies{}));
    std::vector<int> at(sizes.size());
    for (int npu = 0; npu < places.npus(); ++npu) {
      for (int d = 0; d < places.dimensions(); ++d) {
        EXPECT_EQ(places.place(npu, d), at[d]);
        EXPECT_EQ(places.npu(d, places.group(npu, d), at[d]), npu);
        EXPECT_LT(places.group(npu, d), places.groups(d));
        // Its switch, or its group's switch, has its link.
        const SystemBlock& block = all.blocks[d];
        const int link = block.topology->link_out(at[d], 0);
        const Link& of_system = all.links[places.link(d, places.group(npu, d), link)];
        EXPECT_EQ(of_system.from, npu);
        EXPECT_EQ(of_system.from_port, block.first_port);
        EXPECT_EQ(of_system.to,
                  places.node(d, places.group(npu, d), block.topology->links[link].to));
        EXPECT_EQ(address_in(all, npu, d), block.topology->nodes[at[d]].address);
      }
      for (std::size_t d = 0; d < at.size() && ++at[d] == sizes[d]; ++d) at[d] = 0;
    }
  }
}

// A line is a ring that is not closed: its ends have a neighbour less, and a link of it is its
// bisection.
TEST(Dimensions, ALineIsARingThatIsNotClosed) {
  const Topology all = system_of({dimension(BlockShape::kLine, 6, 200 * kGb)});
  int across = 0;
  for (const Link& link : all.links) {
    const Node& from = all.nodes[link.from];
    const Node& to = all.nodes[link.to];
    if (!from.is_switch() || !to.is_switch()) continue;
    EXPECT_EQ(std::abs(from.switch_index - to.switch_index), 1);
    EXPECT_EQ(link.bytes_per_second, 100 * kGb);
    ++across;
  }
  EXPECT_EQ(across, 10);
  EXPECT_EQ(topology_kind(all.kind).bisection_bytes_per_second(all), 100 * kGb);
  EXPECT_EQ(all.dimensions.front().joined, Joined::kLine);
}

TEST(Dimensions, BisectionAndDiameterAreThoseOfTheFormulas) {
  const Topology rings = system_of(
      {dimension(BlockShape::kRing, 8, 200 * kGb), dimension(BlockShape::kRing, 4, 100 * kGb)});
  // Across a ring two links: 2 x 100 GB/s in each of 4, 2 x 50 GB/s in each of 8.
  EXPECT_EQ(bisection_bytes_per_second(rings), 4 * 2 * 100 * kGb);
  EXPECT_EQ(diameter_links(*rings.blocks[0].topology), 4);
  EXPECT_EQ(diameter_links(*rings.blocks[1].topology), 2);
  EXPECT_EQ(diameter_links(rings), 6);
  const Topology others = system_of({dimension(BlockShape::kFullyConnected, 8, 700 * kGb),
                                     dimension(BlockShape::kSwitch, 16, 25 * kGb)});
  // 4 x 4 pairs of 100 GB/s in each of 16; 8 NPUs of 25 GB/s in each of 8.
  EXPECT_EQ(bisection_bytes_per_second(others), 8 * 8 * 25 * kGb);
  EXPECT_EQ(diameter_links(others), 1 + 2);
}

// One ring is a torus of one dimension, but that its switches are one cycle from their NPUs.
TEST(Dimensions, OneDimensionIsTheMachine) {
  DimensionSpec ring = dimension(BlockShape::kRing, 6, 200 * kGb);
  ring.block.latency_ps = 0;
  const Topology system = system_of({ring});
  MachineSpec machine = common();
  machine.npus = 6;
  machine.npu_bandwidth = 200 * kGb;
  const Topology torus =
      build_torus3d(machine, {.sides = {6, 1, 1}, .planes = 1, .ring_bandwidth = 100 * kGb});
  ASSERT_EQ(system.nodes.size(), torus.nodes.size());
  ASSERT_EQ(system.links.size(), torus.links.size());
  std::multiset<std::tuple<NodeId, NodeId, std::uint64_t, int>> ours, its;
  for (const Link& link : system.links)
    ours.insert({link.from, link.to, link.bytes_per_second, link.latency});
  for (const Link& link : torus.links)
    its.insert({link.from, link.to, link.bytes_per_second, link.latency});
  EXPECT_EQ(ours, its);
}

TEST(Dimensions, MachinesAreBlocks) {
  DimensionSpec wafers;
  wafers.machine = two_levels();
  wafers.word = "fred";
  const Topology all = system_of({wafers, dimension(BlockShape::kSwitch, 3, 50 * kGb)});
  EXPECT_EQ(all.npus.size(), 60U);
  EXPECT_EQ(all.io_controllers.size(), 54U);
  EXPECT_EQ(all.nodes[all.io_controllers.back()].name, "io53");
  EXPECT_EQ(all.nodes[0].ports, 6);
  EXPECT_EQ(all.blocks[0].bandwidth, 3'000 * kGb);
  EXPECT_EQ(far_end(all, "npu20", 0), "d0.1.l1_0.s0.0");
  EXPECT_EQ(far_end(all, "npu20", 5), "d1.0.l1_0.s0.1");
  EXPECT_EQ(all.nodes[0].address, all.nodes[20].address) << "addresses are those of the wafer";
}

TEST(Dimensions, MorePortsThanASwitchHasAreForFlows) {
  const Topology large = system_of({dimension(BlockShape::kSwitch, 64, 25 * kGb)});
  expect_parts(large.flow_only, {"fabric.dimensions.1", "64 ports", "32"});
  EXPECT_TRUE(system_of({dimension(BlockShape::kSwitch, 32, 25 * kGb)}).flow_only.empty());
}

TEST(Dimensions, RefusesWhatDoesNotComeOut) {
  expect_parts(refusal([] {
                 system_of({dimension(BlockShape::kSwitch, 300, 25 * kGb),
                            dimension(BlockShape::kSwitch, 300, 25 * kGb)});
               }),
               {"fabric.dimensions", "65536"});
  expect_parts(refusal([] { system_of({dimension(BlockShape::kRing, 8, 200 * kGb, 3)}); }),
               {"fabric.dimensions.1.links", "3", "multiple of 2"});
  expect_parts(
      refusal([] { system_of({dimension(BlockShape::kFullyConnected, 4, 200 * kGb, 4)}); }),
      {"fabric.dimensions.1.links", "4", "multiple of 3"});
  expect_parts(refusal([] {
                 DimensionSpec wafers;
                 MachineSpec machine = wafer();
                 machine.clock_hz = 2'000'000'000;
                 machine.npus = 4;
                 machine.io_controllers = 0;
                 machine.io_bandwidth = 0;
                 wafers.machine = build_torus3d(
                     machine, {.sides = {4, 1, 1}, .planes = 6, .ring_bandwidth = 600 * kGb});
                 system_of({wafers});
               }),
               {"fabric.dimensions.1.machine", "2 GHz", "1.5 GHz"});
}

TEST(Dimensions, BlocksSayWhatTheyAre) {
  const Topology system = system_of({dimension(BlockShape::kRing, 4, 100 * kGb),
                                     dimension(BlockShape::kFullyConnected, 3, 100 * kGb),
                                     dimension(BlockShape::kSwitch, 4, 100 * kGb),
                                     dimension(BlockShape::kLine, 3, 100 * kGb)});
  const auto facts = [&](int d) { return system.blocks[d].facts; };
  const std::vector<bool> switches{false, false, true, false}, alike{false, true, true, false};
  for (int d = 0; d < 4; ++d) {
    EXPECT_EQ(facts(d).has_switch, switches[d]) << d;
    EXPECT_EQ(facts(d).is_symmetrical, alike[d]) << d;
    EXPECT_EQ(facts(d).links == nullptr, d == 3) << d;
  }
  EXPECT_EQ(facts(0).links(2), 1);
  EXPECT_EQ(facts(0).links(5), 2);
  EXPECT_EQ(facts(1).links(5), 4);
  EXPECT_EQ(facts(2).links(5), 1);
  EXPECT_EQ(facts(0).min_size, 4);
}

}  // namespace
}  // namespace fredsim
