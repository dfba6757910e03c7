#include <fmt/format.h>

#include "base/error.h"
#include "topology/assembly.h"

namespace fredsim {
namespace {

constexpr int kMaxCount = 4096;  // of anything; the number of ports decides before

// I/O controllers of L1 switch l: as even as possible, the first switches get one more.
int io_of_l1(int io_controllers, int l1_switches, int l) {
  return io_controllers / l1_switches + (l < io_controllers % l1_switches ? 1 : 0);
}

void check(const MachineSpec& machine, const FredTreeFacts& tree) {
  check_range("fabric.middle", tree.middle, 2, 4);
  check_range("fabric.l1_switches", tree.l1_switches, 2, kMaxPorts);
  check_range("fabric.npus_per_l1", tree.npus_per_l1, 1, kMaxPorts);
  check_range("fabric.slices", tree.slices, 1, kMaxPorts);
  check_range("fabric.uplinks", tree.uplinks, 1, kMaxPorts);
  check_range("fabric.l2_chiplets_per_slice", tree.l2_chiplets_per_slice, 1, kMaxPorts);
  check_range("io.count", machine.io_controllers, 0, kMaxCount);
  const int npus = tree.l1_switches * tree.npus_per_l1;
  if (machine.npus != npus) {
    throw BadInput(fmt::format(
        "npu.count: found {}, but fabric.l1_switches x fabric.npus_per_l1 = {} x {} = {}",
        machine.npus, tree.l1_switches, tree.npus_per_l1, npus));
  }
  if (tree.uplinks % tree.l2_chiplets_per_slice != 0) {
    throw BadInput(
        fmt::format("fabric.uplinks: found {}, which does not divide evenly over "
                    "fabric.l2_chiplets_per_slice = {}",
                    tree.uplinks, tree.l2_chiplets_per_slice));
  }
  const int most_io = io_of_l1(machine.io_controllers, tree.l1_switches, 0);
  const int l1_ports = tree.npus_per_l1 + tree.uplinks + most_io;
  if (l1_ports > kMaxPorts) {
    throw BadInput(
        fmt::format("an L1 chiplet would have {} ports ({} NPUs + {} uplinks + {} I/O "
                    "controllers); fabric.npus_per_l1 + fabric.uplinks + io.count / "
                    "fabric.l1_switches may be {} at most",
                    l1_ports, tree.npus_per_l1, tree.uplinks, most_io, kMaxPorts));
  }
  const int l2_ports = tree.l1_switches * (tree.uplinks / tree.l2_chiplets_per_slice);
  if (l2_ports > kMaxPorts) {
    throw BadInput(fmt::format(
        "an L2 chiplet would have {} ports (fabric.l1_switches x fabric.uplinks / "
        "fabric.l2_chiplets_per_slice = {} x {} / {}); allowed is 2 to {}",
        l2_ports, tree.l1_switches, tree.uplinks, tree.l2_chiplets_per_slice, kMaxPorts));
  }
}

Node chiplet(std::string name, int ports, int middle, int level, int slice) {
  Node node{};
  node.kind = NodeKind::kFredSwitch;
  node.name = std::move(name);
  node.ports = ports;
  node.fred = {ports, middle};
  node.level = level;
  node.slice = slice;
  return node;
}

}  // namespace

Topology build_fred_tree(const MachineSpec& machine, const FredTreeSpec& spec) {
  const FredTreeFacts& tree = spec.shape;
  check(machine, tree);
  Assembly assembly(machine, FabricKind::kFredTree);
  Topology& topology = assembly.topology();
  topology.fred = tree;

  const int latency =
      assembly.latency("fabric.link_latency", "link latency", machine.link_latency_ps);
  const LinkClass npu{
      "npu.bandwidth",
      divide_bandwidth(machine.npu_bandwidth, tree.slices, "npu.bandwidth", "slices"), latency};
  const LinkClass io{"io.bandwidth",
                     divide_bandwidth(machine.io_bandwidth, tree.slices, "io.bandwidth", "slices"),
                     latency};
  const LinkClass uplink{"fabric.uplink_bandwidth",
                         divide_bandwidth(spec.uplink_bandwidth, tree.slices * tree.uplinks,
                                          "fabric.uplink_bandwidth", "slices x uplinks"),
                         latency};

  for (int i = 0; i < machine.npus; ++i) {
    assembly.add_npu(tree.slices, static_cast<std::uint16_t>(i));
  }
  const int per_l2 = tree.uplinks / tree.l2_chiplets_per_slice;  // uplinks of one L1 chiplet
  const auto l1_at = [&](int l, int s) { return machine.npus + l * tree.slices + s; };
  const auto l2_at = [&](int s, int c) {
    return l1_at(tree.l1_switches, 0) + s * tree.l2_chiplets_per_slice + c;
  };
  for (int l = 0; l < tree.l1_switches; ++l) {
    const int ports =
        tree.npus_per_l1 + tree.uplinks + io_of_l1(machine.io_controllers, tree.l1_switches, l);
    for (int s = 0; s < tree.slices; ++s) {
      assembly.add_switch(chiplet(fmt::format("l1_{}.s{}", l, s), ports, tree.middle, 1, s));
    }
  }
  for (int s = 0; s < tree.slices; ++s) {
    for (int c = 0; c < tree.l2_chiplets_per_slice; ++c) {
      assembly.add_switch(
          chiplet(fmt::format("l2.s{}.c{}", s, c), tree.l1_switches * per_l2, tree.middle, 2, s));
    }
  }
  for (int l = 0; l < tree.l1_switches; ++l) {
    for (int s = 0; s < tree.slices; ++s) {
      for (int i = 0; i < tree.npus_per_l1; ++i) {
        assembly.connect({topology.npus[l * tree.npus_per_l1 + i], s}, {l1_at(l, s), i}, npu);
      }
      for (int u = 0; u < tree.uplinks; ++u) {
        assembly.connect({l1_at(l, s), tree.npus_per_l1 + u},
                         {l2_at(s, u / per_l2), l * per_l2 + u % per_l2}, uplink);
      }
    }
    for (int k = 0; k < io_of_l1(machine.io_controllers, tree.l1_switches, l); ++k) {
      const auto address = machine.npus + static_cast<int>(topology.io_controllers.size());
      const NodeId controller = assembly.add_io(tree.slices, static_cast<std::uint16_t>(address));
      for (int s = 0; s < tree.slices; ++s) {
        assembly.connect({controller, s}, {l1_at(l, s), tree.npus_per_l1 + tree.uplinks + k}, io);
      }
    }
  }
  return assembly.finish();
}

}  // namespace fredsim
