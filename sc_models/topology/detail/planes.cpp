// SPDX-License-Identifier: Apache-2.0
#include "topology/detail/planes.h"

#include <fmt/format.h>

#include <utility>

namespace fredsim {

Planes::Planes(const MachineSpec& machine, const TopologyKind& kind, int switches, int planes)
    : machine_(machine),
      switch_kind_(switch_kind_of(machine, kind)),
      switches_(switches),
      planes_(planes),
      assembly_(machine, kind),
      latency_(assembly_.latency("fabric.link_latency", "link latency", machine.link_latency_ps)) {
  topology().slices = planes;
}

LinkClass Planes::links(std::string_view key, std::uint64_t bandwidth) const {
  return {std::string(key), divide_bandwidth(bandwidth, planes_, key, "planes"), latency_};
}

int Planes::controllers(int i) const { return dealt_to(machine_.io_controllers, switches_, i); }

void Planes::add_nodes(const std::function<std::string(int i)>& stem,
                       const std::function<int(int i)>& ports) {
  for (int i = 0; i < machine_.npus; ++i) assembly_.add_npu(planes_, static_cast<std::uint16_t>(i));
  first_ = static_cast<NodeId>(topology().nodes.size());
  for (int i = 0; i < switches_; ++i) {
    for (int s = 0; s < planes_; ++s) {
      Node node{};
      node.kind = NodeKind::kSwitch;
      node.name = fmt::format("{}.s{}", stem(i), s);
      node.ports = ports(i);
      node.switch_kind = switch_kind_;
      node.values = {{"P", node.ports}};
      node.level = 1;
      node.slice = s;
      node.switch_index = i;
      assembly_.add_switch(std::move(node));
    }
  }
}

void Planes::connect_npu(int npu, int i, int plane, int port, const LinkClass& link) {
  connect({topology().npus[npu], plane}, {chiplet(i, plane), port}, link);
}

void Planes::add_controllers(int i, int first_port, const LinkClass& link) {
  for (int k = 0; k < controllers(i); ++k) {
    const auto before = static_cast<int>(topology().io_controllers.size());
    const NodeId controller =
        assembly_.add_io(planes_, static_cast<std::uint16_t>(machine_.npus + before));
    for (int s = 0; s < planes_; ++s)
      connect({controller, s}, {chiplet(i, s), first_port + k}, link);
  }
}

std::uint64_t bytes_per_second_across(const Topology& topology,
                                      const std::function<bool(const Node& node)>& is_low) {
  std::uint64_t across = 0;
  for (const Link& link : topology.links) {
    const Node& from = topology.nodes[link.from];
    const Node& to = topology.nodes[link.to];
    if (from.is_switch() && to.is_switch() && is_low(from) && !is_low(to))
      across += link.bytes_per_second;
  }
  return across;
}

std::string planes_text(const Topology& topology) {
  return fmt::format("{} plane{}", topology.slices, topology.slices == 1 ? "" : "s");
}

}  // namespace fredsim
