#include "topology/torus3d/torus3d.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "base/error.h"
#include "topology/assembly.h"
#include "topology/torus3d/torus3d_kind.h"

namespace fredsim {
namespace {

constexpr int kMostEndpoints = 1 << std::numeric_limits<decltype(Node::address)>::digits;

// Ports of a chiplet along a ring or line of this side.
int ports_along(int side) { return side > 2 ? 2 : side - 1; }

int count(const Torus3dSpec& spec) { return spec.sides[0] * spec.sides[1] * spec.sides[2]; }

int first_io_port(const Torus3dSpec& spec) {
  return 1 + ports_along(spec.sides[0]) + ports_along(spec.sides[1]) + ports_along(spec.sides[2]);
}

void check(const MachineSpec& machine, const Torus3dSpec& spec) {
  check_range("fabric.size_x", spec.sides[0], 1, kMaxTorusSide);
  check_range("fabric.size_y", spec.sides[1], 1, kMaxTorusSide);
  check_range("fabric.size_z", spec.sides[2], 1, kMaxTorusSide);
  check_range("fabric.planes", spec.planes, 1, kMaxPorts);
  const int npus = count(spec);
  if (npus < 2 || machine.npus != npus) {
    throw BadInput(fmt::format(
        "npu.count: found {}; allowed is fabric.size_x x fabric.size_y x fabric.size_z = {} x {} x "
        "{} = {}, 2 or more",
        machine.npus, spec.sides[0], spec.sides[1], spec.sides[2], npus));
  }
  check_range("io.count", machine.io_controllers, 0, kMostEndpoints - npus);
  const int io = dealt_to(machine.io_controllers, npus, 0);
  if (first_io_port(spec) + io <= kMaxPorts) return;
  throw BadInput(
      fmt::format("io.count: found {}, {} on a switch; allowed is up to {} on each of {} switches",
                  machine.io_controllers, io, kMaxPorts - first_io_port(spec), npus));
}

class Torus3dBuilder {
 public:
  Torus3dBuilder(const MachineSpec& machine, const Torus3dSpec& spec)
      : machine_(machine),
        spec_(spec),
        assembly_(machine, torus3d_kind()),
        latency_(
            assembly_.latency("fabric.link_latency", "link latency", machine.link_latency_ps)) {}

  Topology build() {
    const LinkClass npu = link_class("npu.bandwidth", machine_.npu_bandwidth);
    const LinkClass io = link_class("io.bandwidth", machine_.io_bandwidth);
    const LinkClass ring = link_class("fabric.ring_bandwidth", spec_.ring_bandwidth);
    Topology& topology = assembly_.topology();
    topology.fred.slices = spec_.planes;
    for (const int side : spec_.sides)
      topology.dimensions.push_back({side, side > 2 ? Joined::kRing : Joined::kLine});
    for (int i = 0; i < machine_.npus; ++i)
      assembly_.add_npu(spec_.planes, static_cast<std::uint16_t>(i));
    for (int i = 0; i < machine_.npus; ++i) add_switch(i);
    for (int i = 0; i < machine_.npus; ++i) {
      for (int s = 0; s < spec_.planes; ++s) {
        assembly_.connect({topology.npus[i], s}, {chiplet_at(i, s), 0}, npu);
        connect_upwards(i, s, ring);
      }
      connect_controllers(i, io);
    }
    return assembly_.finish();
  }

 private:
  LinkClass link_class(std::string_view key, std::uint64_t bandwidth) const {
    return {key, divide_bandwidth(bandwidth, spec_.planes, key, "planes"), latency_};
  }

  NodeId chiplet_at(int i, int s) const { return machine_.npus + i * spec_.planes + s; }

  void add_switch(int i) {
    const auto [x_side, y_side, z_side] = spec_.sides;
    for (int s = 0; s < spec_.planes; ++s) {
      Node node{};
      node.kind = NodeKind::kSwitch;
      node.name = fmt::format("t{}_{}_{}.s{}", i % x_side, i / x_side % y_side,
                              i / x_side / y_side % z_side, s);
      node.ports = first_io_port(spec_) + dealt_to(machine_.io_controllers, machine_.npus, i);
      node.switch_kind = switch_kind_of(machine_, torus3d_kind());
      node.values = {{"P", node.ports}};
      node.level = 1;
      node.slice = s;
      node.switch_index = i;
      assembly_.add_switch(std::move(node));
    }
  }

  // To the next place of every ring; of a side of 2 once.
  void connect_upwards(int i, int s, const LinkClass& link) {
    int stride = 1;
    int port = 1;
    for (const int side : spec_.sides) {
      const int at = i / stride % side;
      if (side > 2 || at + 1 < side) {
        const int next = i + ((at + 1) % side - at) * stride;
        assembly_.connect({chiplet_at(i, s), port},
                          {chiplet_at(next, s), side > 2 ? port + 1 : port}, link);
      }
      stride *= side;
      port += ports_along(side);
    }
  }

  void connect_controllers(int i, const LinkClass& link) {
    for (int k = 0; k < dealt_to(machine_.io_controllers, machine_.npus, i); ++k) {
      const auto before = static_cast<int>(assembly_.topology().io_controllers.size());
      const NodeId controller =
          assembly_.add_io(spec_.planes, static_cast<std::uint16_t>(machine_.npus + before));
      for (int s = 0; s < spec_.planes; ++s)
        assembly_.connect({controller, s}, {chiplet_at(i, s), first_io_port(spec_) + k}, link);
    }
  }

  const MachineSpec& machine_;
  const Torus3dSpec& spec_;
  Assembly assembly_;
  int latency_;
};

}  // namespace

Topology build_torus3d(const MachineSpec& machine, const Torus3dSpec& spec) {
  check(machine, spec);
  return Torus3dBuilder(machine, spec).build();
}

}  // namespace fredsim
