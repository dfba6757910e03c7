// SPDX-License-Identifier: Apache-2.0
#include "topology/torus3d/torus3d.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "base/error.h"
#include "topology/detail/planes.h"

namespace fredsim {
namespace {

constexpr int kMaxEndpoints = 1 << std::numeric_limits<decltype(Node::address)>::digits;

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
        "npu.count: found {}; allowed: fabric.size_x x fabric.size_y x fabric.size_z = {} x {} x "
        "{} = {}, 2 or more",
        machine.npus, spec.sides[0], spec.sides[1], spec.sides[2], npus));
  }
  check_range("io.count", machine.io_controllers, 0, kMaxEndpoints - npus);
  const int io = dealt_to(machine.io_controllers, npus, 0);
  if (first_io_port(spec) + io <= kMaxPorts) return;
  throw BadInput(
      fmt::format("io.count: found {}, {} on a switch; allowed: up to {} on each of {} switches",
                  machine.io_controllers, io, kMaxPorts - first_io_port(spec), npus));
}

class Torus3dBuilder {
 public:
  Torus3dBuilder(const MachineSpec& machine, const Torus3dSpec& spec)
      : machine_(machine),
        spec_(spec),
        planes_(machine, torus3d_kind(), count(spec), spec.planes) {}

  Topology build() {
    const LinkClass npu = planes_.links("npu.bandwidth", machine_.npu_bandwidth);
    const LinkClass io = planes_.links("io.bandwidth", machine_.io_bandwidth);
    const LinkClass ring = planes_.links("fabric.ring_bandwidth", spec_.ring_bandwidth);
    for (const int side : spec_.sides)
      planes_.topology().dimensions.push_back({side, side > 2 ? Joined::kRing : Joined::kLine});
    const int x_side = spec_.sides[0], y_side = spec_.sides[1];
    planes_.add_nodes(
        [&](int i) {
          return fmt::format("t{}_{}_{}", i % x_side, i / x_side % y_side, i / x_side / y_side);
        },
        [&](int i) { return first_io_port(spec_) + planes_.controllers(i); });
    for (int i = 0; i < machine_.npus; ++i) {
      for (int s = 0; s < spec_.planes; ++s) {
        planes_.connect_npu(i, i, s, 0, npu);
        connect_upwards(i, s, ring);
      }
      planes_.add_controllers(i, first_io_port(spec_), io);
    }
    return planes_.finish();
  }

 private:
  // Links to the next place of every ring; a side of 2 has one.
  void connect_upwards(int i, int s, const LinkClass& link) {
    int stride = 1;
    int port = 1;
    for (const int side : spec_.sides) {
      const int at = i / stride % side;
      if (side > 2 || at + 1 < side) {
        const int next = i + ((at + 1) % side - at) * stride;
        planes_.connect({planes_.chiplet(i, s), port},
                        {planes_.chiplet(next, s), side > 2 ? port + 1 : port}, link);
      }
      stride *= side;
      port += ports_along(side);
    }
  }

  const MachineSpec& machine_;
  const Torus3dSpec& spec_;
  Planes planes_;
};

}  // namespace

Topology build_torus3d(const MachineSpec& machine, const Torus3dSpec& spec) {
  check(machine, spec);
  return Torus3dBuilder(machine, spec).build();
}

}  // namespace fredsim
