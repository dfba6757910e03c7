#include <gtest/gtest.h>

#include <map>

#include "base/random.h"
#include "support.h"
#include "topology/builders.h"
#include "topology/facts.h"

namespace fredsim {
namespace {

FredTreeSpec wafer_tree() {
  FredTreeSpec spec;
  spec.shape = {.l1_switches = 5,
                .npus_per_l1 = 4,
                .slices = 5,
                .uplinks = 4,
                .l2_chiplets_per_slice = 2,
                .middle = 3,
                .in_switch = true};
  spec.uplink_bandwidth = 12'000'000'000'000;
  return spec;
}

TEST(FredTree, WaferFacts) {
  const Topology tree = build_fred_tree(wafer(), wafer_tree());
  expect_sound(tree);
  EXPECT_EQ(tree.npus.size(), 20U);
  EXPECT_EQ(tree.io_controllers.size(), 18U);
  std::map<std::pair<int, int>, int> chiplets;  // (level, P) -> count
  int count = 0;
  for (const Node& node : tree.nodes) {
    if (node.kind != NodeKind::kFredSwitch) continue;
    ++count;
    ++chiplets[{node.level, node.fred.ports}];
    EXPECT_EQ(node.fred.middle, 3);
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

TEST(FredTree, FredAAndBHaveTheMeshsBisection) {
  FredTreeSpec spec = wafer_tree();
  spec.uplink_bandwidth = 1'500'000'000'000;
  const Topology tree = build_fred_tree(wafer(), spec);
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

TEST(FredTree, RandomShapesAreSound) {
  constexpr std::uint64_t kSeed = 8;
  Random random(kSeed);
  const auto pick = [&](int low, int high) {
    return low + static_cast<int>(random.below(static_cast<std::uint64_t>(high - low + 1)));
  };
  int built = 0;
  for (int i = 0; i < 300; ++i) {
    FredTreeSpec spec;
    FredTreeFacts& shape = spec.shape;
    shape.l1_switches = pick(2, 10);
    shape.npus_per_l1 = pick(1, 12);
    shape.slices = pick(1, 6);
    shape.l2_chiplets_per_slice = pick(1, 4);
    shape.uplinks = shape.l2_chiplets_per_slice * pick(1, 4);
    shape.middle = pick(2, 4);
    MachineSpec machine = wafer();
    machine.npus = shape.l1_switches * shape.npus_per_l1;
    machine.io_controllers = pick(0, 3 * shape.l1_switches);
    machine.npu_bandwidth = 10'000'000'000ULL * shape.slices;
    machine.io_bandwidth = 1'000'000'000ULL * shape.slices;
    spec.uplink_bandwidth = 20'000'000'000ULL * shape.slices * shape.uplinks;
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << ", case " << i);
    const int most_io = (machine.io_controllers + shape.l1_switches - 1) / shape.l1_switches;
    const int l1_ports = shape.npus_per_l1 + shape.uplinks + most_io;
    const int l2_ports = shape.l1_switches * shape.uplinks / shape.l2_chiplets_per_slice;
    if (l1_ports > kMaxPorts || l2_ports > kMaxPorts) {
      expect_parts(refusal([&] { build_fred_tree(machine, spec); }), {"chiplet would have", "32"});
      continue;
    }
    ++built;
    const Topology tree = build_fred_tree(machine, spec);
    expect_sound(tree);
    for (NodeId id = 0; id < std::ssize(tree.nodes); ++id) {
      const Node& node = tree.nodes[id];
      for (int port = 0; port < node.ports; ++port) {
        // No port of a tree is left over, and slices never mix.
        const int index = tree.link_out(id, port);
        ASSERT_NE(index, -1) << node.name << "." << port;
        const Node& peer = tree.nodes[tree.links[index].to];
        if (node.level == 0) {
          EXPECT_EQ(peer.slice, port);
        } else if (peer.level > 0) {
          EXPECT_EQ(node.slice, peer.slice);
        }
      }
    }
    EXPECT_EQ(bisection_bytes_per_second(tree), spec.uplink_bandwidth * shape.l1_switches / 2);
  }
  EXPECT_GT(built, 100);
}

TEST(FredTree, Refusals) {
  const auto with = [](auto change) {
    MachineSpec machine = wafer();
    FredTreeSpec spec = wafer_tree();
    change(machine, spec);
    return refusal([&] { build_fred_tree(machine, spec); });
  };
  expect_parts(with([](auto&, auto& spec) { spec.shape.middle = 5; }),
               {"fabric.middle: found 5; allowed is 2 to 4"});
  expect_parts(with([](auto&, auto& spec) { spec.shape.middle = 1; }), {"fabric.middle: found 1"});
  expect_parts(with([](auto&, auto& spec) { spec.shape.l1_switches = 1; }),
               {"fabric.l1_switches: found 1; allowed is 2 to 32"});
  expect_parts(with([](auto& machine, auto&) { machine.npus = 16; }),
               {"npu.count: found 16", "5 x 4 = 20"});
  expect_parts(with([](auto&, auto& spec) { spec.shape.uplinks = 5; }),
               {"fabric.uplinks: found 5", "fabric.l2_chiplets_per_slice = 2"});
  expect_parts(
      with([](auto&, auto& spec) { spec.shape.uplinks = 32; }),
      {"an L1 chiplet would have 40 ports (4 NPUs + 32 uplinks + 4 I/O controllers)", "32"});
  expect_parts(with([](auto&, auto& spec) {
                 spec.shape.uplinks = 8;
                 spec.shape.l2_chiplets_per_slice = 1;
               }),
               {"an L2 chiplet would have 40 ports", "5 x 8 / 1", "2 to 32"});
  expect_parts(with([](auto&, auto& spec) { spec.shape.slices = 7; }),
               {"npu.bandwidth: 3000000000000 B/s does not divide evenly over 7 slices"});
  expect_parts(with([](auto& machine, auto&) { machine.io_bandwidth = 128'000'000'001; }),
               {"io.bandwidth: ", "over 5 slices"});
  expect_parts(with([](auto&, auto& spec) { spec.uplink_bandwidth += 1; }),
               {"fabric.uplink_bandwidth: ", "over 20 slices x uplinks"});
  expect_parts(with([](auto& machine, auto&) { machine.npu_bandwidth = 5'000'000'000'000; }),
               {"npu.bandwidth: link npu0.0->l1_0.s0.0 of 1 TB/s", "1.5 GHz", "1.953125 GHz"});
  expect_parts(with([](auto& machine, auto&) { machine.io_controllers = 5000; }),
               {"io.count: found 5000"});
}

}  // namespace
}  // namespace fredsim
