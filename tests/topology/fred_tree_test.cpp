// SPDX-License-Identifier: Apache-2.0
#include "topology/fred_tree/fred_tree.h"

#include <gtest/gtest.h>

#include <map>

#include "base/random.h"
#include "support.h"
#include "support/random_range.h"
#include "topology/facts.h"

namespace fredsim {
namespace {

constexpr TwoLevels kWafer{.l1_switches = 5,
                           .npus_per_l1 = 4,
                           .uplinks = 4,
                           .l2_chiplets_per_slice = 2,
                           .uplink_bandwidth = 12'000'000'000'000};

FredTreeSpec tree_of(const std::vector<TreeLevel>& levels, int slices) {
  return {.tree = {.levels = levels}, .slices = slices, .middle = 3, .in_switch = true};
}

FredTreeSpec two_levels(const TwoLevels& tree, int slices = 5) {
  FredTreeSpec spec = tree_of(levels_of(tree), slices);
  spec.two_level_keys = true;
  return spec;
}

FredTreeSpec wafer_tree() { return two_levels(kWafer); }

// 64 NPUs, 4 x 4 x 4, over two slices.
FredTreeSpec three_levels() {
  return tree_of(
      {{.below = 4, .uplinks = 4, .uplink_bandwidth = 800'000'000'000},
       {.below = 4, .chiplets_per_slice = 2, .uplinks = 4, .uplink_bandwidth = 1'600'000'000'000},
       {.below = 4, .chiplets_per_slice = 4}},
      2);
}

MachineSpec machine_of(int npus, int io_controllers, int slices) {
  MachineSpec machine = wafer();
  machine.npus = npus;
  machine.io_controllers = io_controllers;
  machine.npu_bandwidth = 10'000'000'000ULL * slices;
  machine.io_bandwidth = 1'000'000'000ULL * slices;
  return machine;
}

TEST(FredTree, WaferFacts) {
  const Topology tree = build_fred_tree(wafer(), wafer_tree());
  expect_sound(tree);
  EXPECT_EQ(tree.unicasts, UnicastRoutes::kByTable);
  EXPECT_TRUE(tree.has_levels() && tree.has_slices());
  EXPECT_FALSE(tree.has_places() || tree.has_rings());
  expect_dimensions(tree, {{4, Joined::kSwitches}, {5, Joined::kSwitches}});
  EXPECT_EQ(tree.npus.size(), 20U);
  EXPECT_EQ(tree.io_controllers.size(), 18U);
  std::map<std::pair<int, int>, int> chiplets;  // (level, P) -> count
  int count = 0;
  for (const Node& node : tree.nodes) {
    if (node.is_endpoint()) continue;
    ++count;
    ++chiplets[{node.level, node.ports}];
    EXPECT_EQ(node.switch_kind, "fred");
    EXPECT_EQ(node.values, (std::vector<NamedValue>{{"P", node.ports}, {"M", 3}}));
  }
  EXPECT_EQ(count, 35);
  EXPECT_EQ(chiplets,
            (std::map<std::pair<int, int>, int>{{{1, 12}, 15}, {{1, 11}, 10}, {{2, 10}, 10}}));
  EXPECT_EQ(bisection_bytes_per_second(tree), 30'000'000'000'000U);

  const Link& npu = link_named(tree, "npu3.0->l1_0.s0.3");
  EXPECT_EQ(npu.rate, (Rational{25, 32}));
  EXPECT_EQ(npu.latency, 30);
  EXPECT_EQ(npu.bytes_per_second, 600'000'000'000U);
  EXPECT_EQ(link_named(tree, "l1_0.s0.4->l2.s0.c0.0").rate, (Rational{25, 32}));
  EXPECT_EQ(link_named(tree, "io0.0->l1_0.s0.8").rate, (Rational{1, 30}));
}

TEST(FredTree, EachLevelsLinksHaveALatency) {
  FredTreeSpec spec = wafer_tree();
  spec.latency_ps = {0, 40'000};
  const Topology tree = build_fred_tree(wafer(), spec);
  expect_sound(tree);
  EXPECT_EQ(link_named(tree, "npu3.0->l1_0.s0.3").latency, 30);
  EXPECT_EQ(link_named(tree, "io0.0->l1_0.s0.8").latency, 30);
  EXPECT_EQ(link_named(tree, "l1_0.s0.4->l2.s0.c0.0").latency, 60);
  EXPECT_EQ(link_named(tree, "l2.s0.c0.0->l1_0.s0.4").latency, 60);
}

// Half of 26 mm at 0.1 ns/mm and 1.5 GHz: 1.95 cycles.
TEST(FredTree, WiresInsideSwitchesArePartOfTheirLinks) {
  MachineSpec machine = wafer();
  machine.wires.chiplet_um = 26'000;
  EXPECT_EQ(wire_cycles(machine.wires, machine.clock_hz), 2);
  const Topology tree = build_fred_tree(machine, wafer_tree());
  expect_sound(tree);
  EXPECT_EQ(link_named(tree, "npu3.0->l1_0.s0.3").latency, 32);
  EXPECT_EQ(link_named(tree, "l1_0.s0.3->npu3.0").latency, 32);
  EXPECT_EQ(link_named(tree, "l1_0.s0.4->l2.s0.c0.0").latency, 34);
  machine.wires.cycles = 0;
  EXPECT_EQ(link_named(build_fred_tree(machine, wafer_tree()), "npu3.0->l1_0.s0.3").latency, 30);
}

TEST(SwitchWires, AreRoundedUpExactly) {
  const auto cycles = [](std::uint64_t chiplet_um, std::uint64_t fs_per_mm, std::uint64_t hz) {
    return wire_cycles({.chiplet_um = chiplet_um, .fs_per_mm = fs_per_mm}, hz);
  };
  EXPECT_EQ(cycles(0, 100'000, 1'500'000'000), 0);
  EXPECT_EQ(cycles(20'000, 100'000, 1'000'000'000), 1);  // 1 ns to the femtosecond
  EXPECT_EQ(cycles(20'001, 100'000, 1'000'000'000), 2);
  EXPECT_EQ(cycles(60'000, 100'000, 1'000'000'000), 3);
  EXPECT_EQ(cycles(26'000, 100'000, 1'500'000'000), 2);
  EXPECT_EQ(cycles(26'000, 100'000, 1'600'000'000), 3);
  EXPECT_THROW(cycles(1'000'000, 100'000'000, 1'000'000'000), BadInput);
}

TEST(FredTree, FredAAndBHaveTheMeshsBisection) {
  TwoLevels thin = kWafer;
  thin.uplink_bandwidth = 1'500'000'000'000;
  const Topology tree = build_fred_tree(wafer(), two_levels(thin));
  EXPECT_EQ(bisection_bytes_per_second(tree), 3'750'000'000'000U);
  EXPECT_EQ(link_named(tree, "l1_0.s0.4->l2.s0.c0.0").rate, (Rational{25, 256}));
}

TEST(FredTree, Ports) {
  const Topology tree = build_fred_tree(wafer(), wafer_tree());
  // NPU 6 is the third of L1 switch 1; NIC port = slice.
  EXPECT_EQ(far_end(tree, "npu6", 3), "l1_1.s3.2");
  // Uplinks 0 and 1 go to L2 chiplet 0, 2 and 3 to chiplet 1; L1 switch l owns ports 2l and 2l + 1.
  EXPECT_EQ(far_end(tree, "l1_2.s4", 4), "l2.s4.c0.4");
  EXPECT_EQ(far_end(tree, "l1_2.s4", 5), "l2.s4.c0.5");
  EXPECT_EQ(far_end(tree, "l1_2.s4", 6), "l2.s4.c1.4");
  EXPECT_EQ(far_end(tree, "l1_2.s4", 7), "l2.s4.c1.5");
  // I/O controllers: 4, 4, 4, 3, 3.
  EXPECT_EQ(far_end(tree, "l1_0.s2", 11), "io3.2");
  EXPECT_EQ(far_end(tree, "l1_1.s2", 8), "io4.2");
  EXPECT_EQ(far_end(tree, "l1_3.s0", 8), "io12.0");
  EXPECT_EQ(far_end(tree, "l1_4.s0", 10), "io17.0");
  EXPECT_EQ(tree.nodes[node_named(tree, "l1_4.s0")].ports, 11);
  EXPECT_EQ(tree.nodes[node_named(tree, "l2.s3.c1")].slice, 3);
  EXPECT_EQ(tree.nodes[tree.npus[7]].address, 7);
  EXPECT_EQ(tree.nodes[tree.io_controllers[2]].address, 22);
}

// One design of chiplet: every link at a fixed port, and unused ports.
TEST(FredTree, ChipletPorts) {
  const Topology tree = build_fred_tree(wafer(), wafer_tree());
  FredTreeSpec spec = wafer_tree();
  spec.chiplet_ports = 12;
  const Topology same = build_fred_tree(wafer(), spec);
  expect_sound(same);
  ASSERT_EQ(same.nodes.size(), tree.nodes.size());
  ASSERT_EQ(same.links.size(), tree.links.size());
  for (std::size_t i = 0; i < tree.links.size(); ++i) {
    EXPECT_EQ(same.links[i].name, tree.links[i].name);
    EXPECT_EQ(same.links[i].from_port, tree.links[i].from_port);
    EXPECT_EQ(same.links[i].to_port, tree.links[i].to_port);
  }
  EXPECT_EQ(tree.nodes[node_named(tree, "l2.s3.c1")].ports, 10);
  for (const Node& node : same.nodes) EXPECT_TRUE(node.is_endpoint() || node.ports == 12);
}

TEST(FredTree, PortsOfThreeLevels) {
  const Topology tree = build_fred_tree(machine_of(64, 17, 2), three_levels());
  expect_sound(tree);
  // NPU 30 is the third of L1 switch 7, which is the last below L2 switch 1.
  EXPECT_EQ(far_end(tree, "npu30", 1), "l1_7.s1.2");
  EXPECT_EQ(far_end(tree, "l1_7.s1", 5), "l2_1.s1.c0.7");
  EXPECT_EQ(far_end(tree, "l1_7.s1", 6), "l2_1.s1.c1.6");
  // The 8 uplinks of a slice of L2 switch 1, chiplet by chiplet, go to ports 2 and 3 of four
  // chiplets.
  EXPECT_EQ(far_end(tree, "l2_1.s0.c0", 8), "l3.s0.c0.2");
  EXPECT_EQ(far_end(tree, "l2_1.s0.c0", 9), "l3.s0.c0.3");
  EXPECT_EQ(far_end(tree, "l2_1.s0.c0", 10), "l3.s0.c1.2");
  EXPECT_EQ(far_end(tree, "l2_1.s0.c1", 8), "l3.s0.c2.2");
  EXPECT_EQ(far_end(tree, "l2_1.s0.c1", 11), "l3.s0.c3.3");
  // The seventeenth I/O controller is the first switch's second.
  EXPECT_EQ(far_end(tree, "l1_0.s1", 9), "io1.1");
  EXPECT_EQ(far_end(tree, "l1_1.s1", 8), "io2.1");
  EXPECT_EQ(tree.nodes[node_named(tree, "l3.s1.c3")].level, 3);
  EXPECT_EQ(tree.nodes[node_named(tree, "l3.s1.c3")].ports, 8);
  EXPECT_EQ(link_named(tree, "l2_1.s0.c0.8->l3.s0.c0.2").bytes_per_second, 100'000'000'000U);
  EXPECT_EQ(bisection_bytes_per_second(tree), 3'200'000'000'000U);
}

TEST(FredTree, OneSwitch) {
  const Topology tree = build_fred_tree(machine_of(6, 2, 3), tree_of({{.below = 6}}, 3));
  expect_sound(tree);
  EXPECT_EQ(tree.nodes.size(), 6U + 3U + 2U);
  EXPECT_EQ(far_end(tree, "npu5", 2), "l1_0.s2.5");
  EXPECT_EQ(far_end(tree, "io1", 0), "l1_0.s0.7");
  EXPECT_EQ(bisection_bytes_per_second(tree), 6U * 30'000'000'000U / 2);
}

// Nodes and links one by one, in order: the keys of two levels and a list of two levels build equal
// trees.
TEST(FredTree, ChipletsSayWhereTheyStand) {
  const Topology tree = build_fred_tree(machine_of(64, 0, 2), three_levels());
  int chiplets = 0;
  for (const Node& node : tree.nodes) {
    if (node.is_endpoint()) continue;
    ++chiplets;
    std::string name = "l" + std::to_string(node.level);
    if (node.level < 3) name += "_" + std::to_string(node.switch_index);
    name += ".s" + std::to_string(node.slice);
    if (node.level > 1) name += ".c" + std::to_string(node.chiplet);
    EXPECT_EQ(node.name, name);
    EXPECT_EQ(place_name(tree, node), "L" + std::to_string(node.level));
  }
  EXPECT_EQ(chiplets, 2 * (16 + 4 * 2 + 4));
  EXPECT_EQ(place_name(tree, tree.nodes[tree.npus[3]]), "NPU");
}

TEST(FredTree, TheKeysOfTwoLevelsAreAListOfTwo) {
  const Topology keys = build_fred_tree(wafer(), wafer_tree());
  const Topology list =
      build_fred_tree(wafer(), tree_of({{.below = 4,
                                         .chiplets_per_slice = 1,
                                         .uplinks = 4,
                                         .uplink_bandwidth = kWafer.uplink_bandwidth},
                                        {.below = 5, .chiplets_per_slice = 2}},
                                       5));
  ASSERT_EQ(keys.nodes.size(), list.nodes.size());
  for (std::size_t i = 0; i < keys.nodes.size(); ++i) {
    EXPECT_EQ(keys.nodes[i].name, list.nodes[i].name);
    EXPECT_EQ(keys.nodes[i].ports, list.nodes[i].ports);
  }
  ASSERT_EQ(keys.links.size(), list.links.size());
  for (std::size_t i = 0; i < keys.links.size(); ++i) {
    EXPECT_EQ(keys.links[i].name, list.links[i].name);
    EXPECT_EQ(keys.links[i].rate, list.links[i].rate);
  }
}

// Chiplets of a tree, level by level, from its parameters alone.
std::map<int, int> chiplets_by_formula(const SwitchTree& tree, int slices) {
  std::map<int, int> chiplets;
  int switches = 1;
  for (int k = tree.depth(); k >= 1; --k) {
    chiplets[k] = switches * slices * tree.levels[k - 1].chiplets_per_slice;
    switches *= tree.levels[k - 1].below;
  }
  return chiplets;
}

// No port is left over, and slices never mix.
void expect_whole_slices(const Topology& tree) {
  for (NodeId id = 0; id < std::ssize(tree.nodes); ++id) {
    const Node& node = tree.nodes[id];
    for (int port = 0; port < node.ports; ++port) {
      const int index = tree.link_out(id, port);
      ASSERT_NE(index, -1) << node.name << "." << port;
      const Node& peer = tree.nodes[tree.links[index].to];
      ASSERT_EQ(std::abs(peer.level - node.level), 1) << tree.links[index].name;
      if (node.level == 0) {
        EXPECT_EQ(peer.slice, port);
      } else if (peer.level > 0) {
        EXPECT_EQ(node.slice, peer.slice);
      }
    }
  }
}

// Every chiplet has the same number of links to each switch below it.
void expect_even_links_down(const Topology& tree) {
  std::map<std::pair<NodeId, std::string>, int> links;  // (chiplet, switch and slice below)
  for (const Link& link : tree.links) {
    const Node& from = tree.nodes[link.from];
    const Node& to = tree.nodes[link.to];
    if (from.level < 2 || to.level >= from.level) continue;
    ++links[{link.from, to.name.substr(0, to.name.find(".c"))}];
  }
  std::map<NodeId, int> switches;
  for (const auto& [key, count] : links) {
    const int level = tree.nodes[key.first].level;
    ++switches[key.first];
    EXPECT_EQ(count, tree.tree.uplinks_per_chiplet_above(level - 1)) << tree.nodes[key.first].name;
  }
  for (const auto& [id, count] : switches) {
    EXPECT_EQ(count, tree.tree.levels[tree.nodes[id].level - 1].below) << tree.nodes[id].name;
  }
}

TEST(FredTree, RandomShapesAreSound) {
  constexpr std::uint64_t kSeed = 8;
  Random random(kSeed);
  const auto pick = [&](int low, int high) { return test::random_between(random, low, high); };
  std::map<int, int> built;  // by depth
  for (int i = 0; i < 400; ++i) {
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << ", case " << i);
    const int depth = pick(1, 4);
    const int slices = pick(1, 4);
    std::vector<TreeLevel> levels(depth);
    int npus = 1;
    bool even = true;
    for (int k = 1; k <= depth; ++k) {
      TreeLevel& level = levels[k - 1];
      level.below = pick(k == 1 ? 1 : 2, depth <= 2 ? 10 : 5);
      npus *= level.below;
      if (k > 1) level.chiplets_per_slice = pick(1, 4);
      if (k < depth) {
        level.uplinks = pick(1, 6);
        level.uplink_bandwidth =
            20'000'000'000ULL * slices * level.uplinks * level.chiplets_per_slice;
      }
      if (k > 1) {
        const TreeLevel& lower = levels[k - 2];
        even &= lower.uplinks * lower.chiplets_per_slice % level.chiplets_per_slice == 0;
      }
    }
    const MachineSpec machine = machine_of(npus, pick(0, 2 * npus / levels[0].below), slices);
    const FredTreeSpec spec = tree_of(levels, slices);
    const std::string message = refusal([&] { build_fred_tree(machine, spec); });
    if (!even) {
      expect_parts(message, {"fabric.levels.", ".uplinks: found", "does not divide evenly over"});
      continue;
    }
    const int l1_switches = npus / levels[0].below;
    const int l1_ports = levels[0].below + levels[0].uplinks +
                         (machine.io_controllers + l1_switches - 1) / l1_switches;
    bool fits = l1_ports >= 2 && l1_ports <= kMaxPorts;
    for (int k = 2; k <= depth; ++k) {
      const TreeLevel& lower = levels[k - 2];
      const TreeLevel& level = levels[k - 1];
      fits &= level.below * lower.uplinks * lower.chiplets_per_slice / level.chiplets_per_slice +
                  level.uplinks <=
              kMaxPorts;
    }
    if (!fits) {
      expect_parts(message, {"chiplet would have", "32"});
      continue;
    }
    ++built[depth];
    const Topology tree = build_fred_tree(machine, spec);
    expect_sound(tree);
    expect_whole_slices(tree);
    expect_even_links_down(tree);
    std::map<int, int> chiplets;
    for (const Node& node : tree.nodes) {
      if (node.is_switch()) ++chiplets[node.level];
    }
    EXPECT_EQ(chiplets, chiplets_by_formula(tree.tree, tree.slices));
    const std::uint64_t below_top = levels.back().below;
    const std::uint64_t each =
        depth == 1 ? machine.npu_bandwidth : levels[depth - 2].uplink_bandwidth;
    EXPECT_EQ(bisection_bytes_per_second(tree), below_top * each / 2);
  }
  for (int depth = 1; depth <= 4; ++depth) EXPECT_GT(built[depth], 15) << depth << " levels";
}

TEST(FredTree, Refusals) {
  const auto with = [](auto change) {
    MachineSpec machine = wafer();
    TwoLevels tree = kWafer;
    FredTreeSpec spec = wafer_tree();
    change(machine, tree, spec);
    spec.tree.levels = levels_of(tree);
    return refusal([&] { build_fred_tree(machine, spec); });
  };
  expect_parts(with([](auto&, auto&, auto& spec) { spec.middle = 5; }),
               {"fabric.middle: found 5; allowed: 2 to 4"});
  expect_parts(with([](auto&, auto&, auto& spec) { spec.middle = 1; }), {"fabric.middle: found 1"});
  expect_parts(with([](auto&, auto&, auto& spec) { spec.chiplet_ports = 11; }),
               {"fabric.chiplet_ports: found 11; allowed: 12 to 32"});
  expect_parts(with([](auto&, auto&, auto& spec) { spec.chiplet_ports = 33; }),
               {"fabric.chiplet_ports: found 33; allowed: 12 to 32"});
  expect_parts(with([](auto&, auto& tree, auto&) { tree.l1_switches = 1; }),
               {"fabric.l1_switches: found 1; allowed: 2 to 32"});
  expect_parts(with([](auto& machine, auto&, auto&) { machine.npus = 16; }),
               {"npu.count: found 16, but fabric.l1_switches x fabric.npus_per_l1 = 5 x 4 = 20"});
  expect_parts(with([](auto&, auto& tree, auto&) { tree.uplinks = 5; }),
               {"fabric.uplinks: found 5", "fabric.l2_chiplets_per_slice = 2"});
  expect_parts(
      with([](auto&, auto& tree, auto&) { tree.uplinks = 32; }),
      {"an L1 chiplet would have 40 ports (4 NPUs + 32 uplinks + 4 I/O controllers)", "32"});
  expect_parts(with([](auto&, auto& tree, auto&) {
                 tree.uplinks = 8;
                 tree.l2_chiplets_per_slice = 1;
               }),
               {"an L2 chiplet would have 40 ports (fabric.l1_switches x fabric.uplinks / "
                "fabric.l2_chiplets_per_slice = 5 x 8 / 1); allowed: 2 to 32"});
  expect_parts(with([](auto&, auto&, auto& spec) { spec.slices = 7; }),
               {"npu.bandwidth: 3000000000000 B/s does not divide evenly over 7 slices"});
  expect_parts(with([](auto& machine, auto&, auto&) { machine.io_bandwidth = 128'000'000'001; }),
               {"io.bandwidth: ", "over 5 slices"});
  expect_parts(with([](auto&, auto& tree, auto&) { tree.uplink_bandwidth += 1; }),
               {"fabric.uplink_bandwidth: ", "over 20 slices x uplinks"});
  expect_parts(with([](auto& machine, auto&, auto&) { machine.npu_bandwidth = 5'000'000'000'000; }),
               {"npu.bandwidth: link npu0.0->l1_0.s0.0 of 1 TB/s", "1.5 GHz", "1.953125 GHz"});
  expect_parts(with([](auto& machine, auto&, auto&) { machine.io_controllers = 5000; }),
               {"io.count: found 5000"});
}

TEST(FredTree, RefusalsOfLevels) {
  const auto with = [](auto change) {
    MachineSpec machine = machine_of(64, 0, 2);
    FredTreeSpec spec = three_levels();
    change(machine, spec.tree.levels);
    return refusal([&] { build_fred_tree(machine, spec); });
  };
  expect_parts(with([](auto&, auto& levels) { levels.clear(); }),
               {"fabric.levels: the number of levels: found 0; allowed: 1 to 8"});
  expect_parts(with([](auto&, auto& levels) { levels.resize(9, levels[1]); }), {"found 9"});
  expect_parts(with([](auto&, auto& levels) { levels[2].below = 1; }),
               {"fabric.levels.3.below: found 1; allowed: 2 to 32"});
  expect_parts(with([](auto&, auto& levels) { levels[0].chiplets_per_slice = 2; }),
               {"fabric.levels.1.chiplets_per_slice: found 2"});
  expect_parts(with([](auto&, auto& levels) { levels[2].uplinks = 4; }),
               {"fabric.levels.3.uplinks: found 4; allowed: 0 to 0"});
  expect_parts(with([](auto& machine, auto&) { machine.npus = 60; }),
               {"npu.count: found 60, but fabric.levels.3.below x fabric.levels.2.below x "
                "fabric.levels.1.below = 4 x 4 x 4 = 64"});
  expect_parts(with([](auto&, auto& levels) { levels[1].uplinks = 3; }),
               {"fabric.levels.2.uplinks: found 3 x fabric.levels.2.chiplets_per_slice = 2, which "
                "does not divide evenly over fabric.levels.3.chiplets_per_slice = 4"});
  expect_parts(
      with([](auto&, auto& levels) { levels[1].uplinks = 28; }),
      {"an L2 chiplet would have 36 ports (fabric.levels.2.below x fabric.levels.1.uplinks "
       "/ fabric.levels.2.chiplets_per_slice + fabric.levels.2.uplinks = 4 x 4 / 2 + 28)"});
  expect_parts(
      with([](auto&, auto& levels) {
        levels[2].chiplets_per_slice = 1;
        levels[1].uplinks = 8;
      }),
      {"an L3 chiplet would have 64 ports (fabric.levels.3.below x fabric.levels.2.uplinks x "
       "fabric.levels.2.chiplets_per_slice / fabric.levels.3.chiplets_per_slice = 4 x 8 x 2 / 1)"});
  expect_parts(with([](auto&, auto& levels) { levels[1].uplink_bandwidth += 1; }),
               {"fabric.levels.2.uplink_bandwidth: ", "over 16 slices x chiplets x uplinks"});
  expect_parts(refusal([] { build_fred_tree(machine_of(1, 0, 1), tree_of({{.below = 1}}, 1)); }),
               {"an L1 chiplet would have 1 ports", "may be 2 to 32"});
}

TEST(FredTree, AsManyEndpointsAsAddresses) {
  std::vector<TreeLevel> levels(4, {.below = 16, .uplinks = 1, .uplink_bandwidth = 10'000'000'000});
  levels.back().uplinks = 0;
  const auto with = [&](int io_controllers) {
    return refusal(
        [&] { build_fred_tree(machine_of(65536, io_controllers, 1), tree_of(levels, 1)); });
  };
  EXPECT_EQ(with(0), "(nothing was thrown)");
  expect_parts(with(1), {"npu.count + io.count: found 65536 + 1; allowed: up to 65536"});
}

}  // namespace
}  // namespace fredsim
