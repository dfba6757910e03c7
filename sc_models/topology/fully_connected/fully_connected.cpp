#include "topology/fully_connected/fully_connected.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "topology/assembly.h"
#include "topology/fully_connected/fully_connected_kind.h"

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
                  "controllers); allowed is "
                  "2 to {}",
                  ports, spec.npus_per_switch, spec.switches - 1,
                  ports - spec.npus_per_switch - spec.switches + 1, kMaxPorts));
}

class FullyConnectedBuilder {
 public:
  FullyConnectedBuilder(const MachineSpec& machine, const FullyConnectedSpec& spec)
      : machine_(machine),
        spec_(spec),
        assembly_(machine, fully_connected_kind()),
        latency_(
            assembly_.latency("fabric.link_latency", "link latency", machine.link_latency_ps)) {}

  Topology build() {
    const LinkClass npu = endpoint_class("npu.bandwidth", machine_.npu_bandwidth);
    const LinkClass io = endpoint_class("io.bandwidth", machine_.io_bandwidth);
    const LinkClass pair{
        "fabric.pair_bandwidth",
        divide_bandwidth(spec_.pair_bandwidth, spec_.planes, "fabric.pair_bandwidth", "planes"),
        latency_};
    Topology& topology = assembly_.topology();
    topology.fred.slices = spec_.planes;
    topology.dimensions = {{spec_.npus_per_switch}, {spec_.switches}};
    for (int i = 0; i < machine_.npus; ++i) {
      assembly_.add_npu(spec_.planes, static_cast<std::uint16_t>(i));
    }
    add_chiplets();
    for (int i = 0; i < spec_.switches; ++i) {
      for (int s = 0; s < spec_.planes; ++s) {
        for (int k = 0; k < spec_.npus_per_switch; ++k) {
          assembly_.connect({topology.npus[i * spec_.npus_per_switch + k], s},
                            {chiplet_at(i, s), k}, npu);
        }
        for (int other = i + 1; other < spec_.switches; ++other) {
          assembly_.connect({chiplet_at(i, s), port_to(i, other)},
                            {chiplet_at(other, s), port_to(other, i)}, pair);
        }
      }
      connect_controllers(i, io);
    }
    return assembly_.finish();
  }

 private:
  LinkClass endpoint_class(std::string_view key, std::uint64_t bandwidth) const {
    return {key, divide_bandwidth(bandwidth, spec_.planes, key, "planes"), latency_};
  }

  NodeId chiplet_at(int i, int s) const { return machine_.npus + i * spec_.planes + s; }
  int port_to(int i, int other) const {
    return spec_.npus_per_switch + (other < i ? other : other - 1);
  }

  void add_chiplets() {
    for (int i = 0; i < spec_.switches; ++i) {
      for (int s = 0; s < spec_.planes; ++s) {
        Node node{};
        node.kind = NodeKind::kSwitch;
        node.name = fmt::format("x{}.s{}", i, s);
        node.ports = chiplet_ports(machine_, spec_, i);
        node.switch_kind = switch_kind_of(machine_, fully_connected_kind());
        node.values = {{"P", node.ports}};
        node.level = 1;
        node.slice = s;
        node.switch_index = i;
        assembly_.add_switch(std::move(node));
      }
    }
  }

  void connect_controllers(int i, const LinkClass& link) {
    for (int k = 0; k < dealt_to(machine_.io_controllers, spec_.switches, i); ++k) {
      const auto before = static_cast<int>(assembly_.topology().io_controllers.size());
      const NodeId controller =
          assembly_.add_io(spec_.planes, static_cast<std::uint16_t>(machine_.npus + before));
      for (int s = 0; s < spec_.planes; ++s) {
        assembly_.connect({controller, s},
                          {chiplet_at(i, s), spec_.npus_per_switch + spec_.switches - 1 + k}, link);
      }
    }
  }

  const MachineSpec& machine_;
  const FullyConnectedSpec& spec_;
  Assembly assembly_;
  int latency_;
};

}  // namespace

Topology build_fully_connected(const MachineSpec& machine, const FullyConnectedSpec& spec) {
  check(machine, spec);
  return FullyConnectedBuilder(machine, spec).build();
}

}  // namespace fredsim
