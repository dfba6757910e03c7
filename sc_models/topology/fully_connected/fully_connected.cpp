// SPDX-License-Identifier: Apache-2.0
#include "topology/fully_connected/fully_connected.h"

#include <fmt/format.h>

#include "base/error.h"
#include "topology/detail/planes.h"

namespace fredsim {
namespace {

int chiplet_ports(const MachineSpec& machine, const FullyConnectedSpec& spec, int i) {
  return spec.npus_per_switch + spec.switches - 1 +
         dealt_to(machine.io_controllers, spec.switches, i);
}

void check(const MachineSpec& machine, const FullyConnectedSpec& spec) {
  check_range("fabric.switches", spec.switches, 2, kMaxPorts);
  check_range("fabric.npus_per_switch", spec.npus_per_switch, 1, kMaxPorts);
  check_range("fabric.planes", spec.planes, 1, kMaxPorts);
  check_range("io.count", machine.io_controllers, 0, kMaxPorts * kMaxPorts);
  const int npus = spec.switches * spec.npus_per_switch;
  if (machine.npus != npus) {
    throw BadInput(fmt::format(
        "npu.count: found {}, but fabric.switches x fabric.npus_per_switch = {} x {} = {}",
        machine.npus, spec.switches, spec.npus_per_switch, npus));
  }
  const int ports = chiplet_ports(machine, spec, 0);
  if (ports <= kMaxPorts) return;
  throw BadInput(
      fmt::format("a chiplet would have {} ports ({} NPUs + {} other switches + {} I/O "
                  "controllers); allowed: "
                  "2 to {}",
                  ports, spec.npus_per_switch, spec.switches - 1,
                  ports - spec.npus_per_switch - spec.switches + 1, kMaxPorts));
}

class FullyConnectedBuilder {
 public:
  FullyConnectedBuilder(const MachineSpec& machine, const FullyConnectedSpec& spec)
      : machine_(machine),
        spec_(spec),
        planes_(machine, fully_connected_kind(), spec.switches, spec.planes) {}

  Topology build() {
    const LinkClass npu = planes_.links("npu.bandwidth", machine_.npu_bandwidth);
    const LinkClass io = planes_.links("io.bandwidth", machine_.io_bandwidth);
    const LinkClass pair = planes_.links("fabric.pair_bandwidth", spec_.pair_bandwidth);
    planes_.topology().dimensions = {{spec_.npus_per_switch}, {spec_.switches}};
    planes_.add_nodes([](int i) { return fmt::format("x{}", i); },
                      [&](int i) { return chiplet_ports(machine_, spec_, i); });
    for (int i = 0; i < spec_.switches; ++i) {
      for (int s = 0; s < spec_.planes; ++s) {
        for (int k = 0; k < spec_.npus_per_switch; ++k)
          planes_.connect_npu(i * spec_.npus_per_switch + k, i, s, k, npu);
        for (int other = i + 1; other < spec_.switches; ++other) {
          planes_.connect({planes_.chiplet(i, s), port_to(i, other)},
                          {planes_.chiplet(other, s), port_to(other, i)}, pair);
        }
      }
      planes_.add_controllers(i, spec_.npus_per_switch + spec_.switches - 1, io);
    }
    return planes_.finish();
  }

 private:
  int port_to(int i, int other) const {
    return spec_.npus_per_switch + (other < i ? other : other - 1);
  }

  const MachineSpec& machine_;
  const FullyConnectedSpec& spec_;
  Planes planes_;
};

}  // namespace

Topology build_fully_connected(const MachineSpec& machine, const FullyConnectedSpec& spec) {
  check(machine, spec);
  return FullyConnectedBuilder(machine, spec).build();
}

}  // namespace fredsim
