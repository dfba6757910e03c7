// SPDX-License-Identifier: Apache-2.0
#include "topology/mesh2d/mesh2d.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "support.h"
#include "topology/facts.h"
#include "topology/mesh_address.h"
#include "topology/torus2d/torus2d.h"

namespace fredsim {
namespace {

constexpr std::uint64_t kLinkBandwidth = 750'000'000'000;

Topology wafer_mesh() {
  return build_mesh2d(wafer(), {.width = 5, .height = 4, .link_bandwidth = kLinkBandwidth});
}

TEST(Mesh2d, WaferFacts) {
  const Topology mesh = wafer_mesh();
  expect_sound(mesh);
  EXPECT_EQ(mesh.kind, "mesh2d");
  EXPECT_EQ(mesh.unicasts, UnicastRoutes::kByCoordinates);
  EXPECT_TRUE(mesh.has_places());
  EXPECT_FALSE(mesh.has_rings() || mesh.has_levels() || mesh.has_slices());
  expect_dimensions(mesh, {{5, Joined::kLine}, {4, Joined::kLine}});
  EXPECT_EQ(place_name(mesh, mesh.nodes[node_named(mesh, "r3_2")]), "router");
  EXPECT_EQ(mesh.npus.size(), 20U);
  EXPECT_EQ(mesh.io_controllers.size(), 18U);
  EXPECT_EQ(mesh.nodes.size(), 58U);
  // 80 NIC ports, 4 * 4 + 5 * 3 mesh links, 18 I/O controllers; both directions.
  EXPECT_EQ(mesh.links.size(), 2U * (80 + 31 + 18));
  EXPECT_EQ(bisection_bytes_per_second(mesh), 3'750'000'000'000U);

  const Link& across = link_named(mesh, "r0_0.1->r1_0.3");
  EXPECT_EQ(across.rate, (Rational{125, 128}));
  EXPECT_EQ(across.latency, 30);
  EXPECT_EQ(across.bytes_per_second, kLinkBandwidth);
  const Link& local = link_named(mesh, "npu7.2->r2_1.6");
  EXPECT_EQ(local.rate, (Rational{125, 128}));
  EXPECT_EQ(local.latency, 1);
  const Link& io = link_named(mesh, "io0.0->r0_0.8");
  EXPECT_EQ(io.rate, (Rational{1, 6}));
  EXPECT_EQ(io.latency, 30);
}

TEST(Mesh2d, PortsAndAddresses) {
  const Topology mesh = wafer_mesh();
  EXPECT_EQ(far_end(mesh, "r2_1", kNorth), "r2_0.2");
  EXPECT_EQ(far_end(mesh, "r2_1", kEast), "r3_1.3");
  EXPECT_EQ(far_end(mesh, "r2_1", kSouth), "r2_2.0");
  EXPECT_EQ(far_end(mesh, "r2_1", kWest), "r1_1.1");
  EXPECT_EQ(far_end(mesh, "r0_0", kNorth), "");
  EXPECT_EQ(far_end(mesh, "r4_3", kEast), "");
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(far_end(mesh, "npu13", i), "r3_2." + std::to_string(kFirstLocal + i));
  }
  const Node& router = mesh.nodes[node_named(mesh, "r3_2")];
  EXPECT_EQ(router.mesh.x, 3);
  EXPECT_EQ(router.mesh.y, 2);
  EXPECT_EQ(router.ports, 10);
  EXPECT_EQ(mesh.nodes[mesh.npus[13]].address, mesh_address(3, 2, 0));
  // The north-west corner has two controllers, its neighbour to the east one, an inner router none.
  EXPECT_EQ(far_end(mesh, "r0_0", 8), "io0.0");
  EXPECT_EQ(far_end(mesh, "r0_0", 9), "io1.0");
  EXPECT_EQ(far_end(mesh, "r1_0", 8), "io2.0");
  EXPECT_EQ(far_end(mesh, "r1_0", 9), "");
  EXPECT_EQ(far_end(mesh, "r2_2", 8), "");
  EXPECT_EQ(far_end(mesh, "r4_3", 9), "io17.0");
  EXPECT_EQ(mesh.nodes[mesh.io_controllers[1]].address, mesh_address(0, 0, 2));
  EXPECT_EQ(mesh.nodes[mesh.io_controllers[2]].address, mesh_address(1, 0, 1));
}

TEST(Mesh2d, EveryShapeIsSound) {
  constexpr std::uint64_t kSeed = 5;
  Random random(kSeed);
  std::vector<std::pair<int, int>> shapes = {{1, 1}, {1, 2}, {2, 1},  {1, 7},
                                             {9, 1}, {2, 2}, {64, 64}};
  for (int i = 0; i < 20; ++i) {
    shapes.emplace_back(1 + random.below(16), 1 + random.below(16));
  }
  for (const auto& [width, height] : shapes) {
    SCOPED_TRACE(testing::Message() << width << " x " << height << ", seed " << kSeed);
    MachineSpec machine = wafer();
    machine.npus = width * height;
    for (const int io : {0, mesh_io_controllers(width, height)}) {
      machine.io_controllers = io;
      const Topology mesh = build_mesh2d(
          machine, {.width = width, .height = height, .link_bandwidth = kLinkBandwidth});
      expect_sound(mesh);
      EXPECT_EQ(mesh.npus.size(), static_cast<std::size_t>(width * height));
      EXPECT_EQ(mesh.io_controllers.size(), static_cast<std::size_t>(io));
      const int joints = height * (width - 1) + width * (height - 1);
      EXPECT_EQ(std::ssize(mesh.links), 2 * (4 * width * height + joints + io));
    }
    if (width > 1 && height > 1) {
      EXPECT_EQ(mesh_io_controllers(width, height), 2 * (width + height));
    }
  }
}

TEST(Torus2d, WaferFacts) {
  const Mesh2dSpec spec{.width = 5, .height = 4, .link_bandwidth = kLinkBandwidth};
  const Topology torus = build_torus2d(wafer(), spec);
  const Topology mesh = wafer_mesh();
  expect_sound(torus);
  EXPECT_EQ(torus.kind, "torus2d");
  EXPECT_TRUE(torus.has_places() && torus.has_rings());
  expect_dimensions(torus, {{5, Joined::kRing}, {4, Joined::kRing}});
  EXPECT_EQ(torus.grid.rings.columns, 5);
  EXPECT_EQ(torus.grid.rings.rows, 4);
  EXPECT_EQ(torus.nodes.size(), mesh.nodes.size());
  EXPECT_EQ(torus.links.size(), mesh.links.size() + 2 * (5 + 4));
  EXPECT_EQ(bisection_bytes_per_second(torus), 7'500'000'000'000U);
  // The torus contains the whole mesh; the additional links join the ends of rows and columns.
  for (const Link& link : mesh.links) EXPECT_EQ(link_named(torus, link.name).rate, link.rate);
  EXPECT_EQ(far_end(torus, "r4_2", kEast), "r0_2.3");
  EXPECT_EQ(far_end(torus, "r0_2", kWest), "r4_2.1");
  EXPECT_EQ(far_end(torus, "r3_3", kSouth), "r3_0.0");
  EXPECT_EQ(far_end(torus, "r3_0", kNorth), "r3_3.2");
  EXPECT_EQ(link_named(torus, "r4_2.1->r0_2.3").bytes_per_second, kLinkBandwidth);
  EXPECT_EQ(link_named(torus, "r4_2.1->r0_2.3").latency, 30);
  EXPECT_EQ(far_end(torus, "r0_0", 9), "io1.0");
}

TEST(Torus2d, EveryShapeIsSound) {
  for (const auto& [width, height] : std::vector<std::pair<int, int>>{
           {1, 1}, {2, 2}, {1, 3}, {3, 1}, {2, 3}, {3, 3}, {7, 2}, {64, 5}}) {
    SCOPED_TRACE(testing::Message() << width << " x " << height);
    MachineSpec machine = wafer();
    machine.npus = width * height;
    machine.io_controllers = mesh_io_controllers(width, height);
    const Topology torus = build_torus2d(
        machine, {.width = width, .height = height, .link_bandwidth = kLinkBandwidth});
    expect_sound(torus);
    // Two links per router of a ring, one fewer joint than routers on a line.
    const int joints =
        height * (width > 2 ? width : width - 1) + width * (height > 2 ? height : height - 1);
    EXPECT_EQ(std::ssize(torus.links), 2 * (4 * width * height + joints + machine.io_controllers));
  }
}

TEST(Torus2d, BuffersHoldMoreThanAPacket) {
  const Mesh2dSpec spec{.width = 5, .height = 4, .link_bandwidth = kLinkBandwidth};
  MachineSpec machine = wafer();
  machine.buffers.data_flits = kPacketFlits;
  expect_parts(refusal([&] { build_torus2d(machine, spec); }),
               {"switch.input_buffer: found 4 KiB", "allowed: 4608 B or more"});
  machine.buffers.data_flits = kPacketFlits + 1;
  machine.buffers.control_flits = 1;
  expect_parts(refusal([&] { build_torus2d(machine, spec); }),
               {"switch.control_buffer: found 512 B", "allowed: 1 KiB or more"});
  machine.buffers.control_flits = 2;
  build_torus2d(machine, spec);
}

TEST(Mesh2d, LinesServeTwoFacesPerRouterAndSaySo) {
  MachineSpec machine = wafer();
  machine.npus = 3;
  machine.io_controllers = 6;
  const Topology line =
      build_mesh2d(machine, {.width = 3, .height = 1, .link_bandwidth = kLinkBandwidth});
  expect_parts(line.notes.back(), {"6 of 8 outward faces"});
  EXPECT_EQ(mesh_io_controllers(1, 1), 2);
}

TEST(Mesh2d, NotesSayWhatRoundingDid) {
  MachineSpec machine = wafer();
  const Mesh2dSpec spec{.width = 5, .height = 4, .link_bandwidth = kLinkBandwidth};
  EXPECT_EQ(build_mesh2d(machine, spec).notes.front(),
            "link latency 20 ns = 30 cycles (20.000 ns)");
  machine.link_latency_ps = 20'500;
  EXPECT_EQ(build_mesh2d(machine, spec).notes.front(),
            "link latency 20.5 ns = 31 cycles, rounded up to 20.667 ns");
  machine.link_latency_ps = 0;
  EXPECT_EQ(build_mesh2d(machine, spec).notes.front(),
            "link latency 0 ns = 1 cycle, rounded up to 0.667 ns");
}

TEST(Mesh2d, NicPortsTakeAFlitPerCycleAtMost) {
  MachineSpec machine = wafer();
  machine.npu_bandwidth = 4'000'000'000'000;
  const Topology mesh =
      build_mesh2d(machine, {.width = 5, .height = 4, .link_bandwidth = kLinkBandwidth});
  EXPECT_EQ(link_named(mesh, "npu0.0->r0_0.4").rate, (Rational{1, 1}));
  expect_parts(mesh.notes.back(), {"npu.bandwidth 4 TB/s is cut to 3.072 TB/s"});
}

TEST(Mesh2d, Refusals) {
  const Mesh2dSpec right{.width = 5, .height = 4, .link_bandwidth = kLinkBandwidth};
  const auto with = [&](auto change) {
    MachineSpec machine = wafer();
    Mesh2dSpec spec = right;
    change(machine, spec);
    return refusal([&] { build_mesh2d(machine, spec); });
  };
  expect_parts(with([](auto&, auto& spec) { spec.width = 0; }),
               {"fabric.width: found 0; allowed: 1 to 64"});
  expect_parts(with([](auto&, auto& spec) { spec.height = 65; }),
               {"fabric.height: found 65; allowed: 1 to 64"});
  expect_parts(with([](auto& machine, auto&) { machine.npus = 21; }),
               {"npu.count: found 21", "5 x 4 = 20"});
  expect_parts(with([](auto& machine, auto&) { machine.io_controllers = 10; }),
               {"io.count: found 10", "18 or 0"});
  expect_parts(with([](auto& machine, auto&) { machine.npu_bandwidth += 1; }),
               {"npu.bandwidth: 3000000000001 B/s does not divide evenly over 4 NIC ports"});
  expect_parts(with([](auto&, auto& spec) { spec.link_bandwidth = 1'000'000'000'000; }),
               {"fabric.link_bandwidth: link r0_0.1->r1_0.3 of 1 TB/s", "clock 1.5 GHz",
                "at least 1.953125 GHz"});
  expect_parts(with([](auto& machine, auto&) { machine.io_bandwidth = 769'000'000'000; }),
               {"io.bandwidth: link io0.0->r0_0.8", "at least 1.501953125 GHz"});
  expect_parts(with([](auto& machine, auto&) { machine.link_latency_ps = 20'000'000'000; }),
               {"fabric.link_latency: a latency of 20000000 ns is more than"});
}

// The lowest clock that an error names does do.
TEST(Mesh2d, LeastClockWillDo) {
  MachineSpec machine = wafer();
  const Mesh2dSpec spec{.width = 5, .height = 4, .link_bandwidth = 1'000'000'000'000};
  machine.clock_hz = 1'953'125'000;
  EXPECT_EQ(link_named(build_mesh2d(machine, spec), "r0_0.1->r1_0.3").rate, (Rational{1, 1}));
  machine.clock_hz -= 1;
  EXPECT_THROW(build_mesh2d(machine, spec), BadInput);
}

}  // namespace
}  // namespace fredsim
