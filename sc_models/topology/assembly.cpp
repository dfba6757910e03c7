// SPDX-License-Identifier: Apache-2.0
#include "topology/assembly.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "base/int128.h"
#include "base/units.h"
#include "topology/route_table_size.h"

namespace fredsim {

Assembly::Assembly(const MachineSpec& machine, const TopologyKind& kind)
    : wire_cycles_(wire_cycles(machine.wires, machine.clock_hz)) {
  topology_.name = machine.name;
  topology_.kind = kind.name();
  topology_.unicasts = kind.unicasts();
  topology_.clock_hz = machine.clock_hz;
  topology_.buffers = machine.buffers;
  topology_.packet_flits = machine.packet_flits;
  topology_.vc_order = machine.vc_order;
  topology_.format = machine.format;
  topology_.switch_values = machine.switch_values;
  topology_.own_values = machine.own_values;
  topology_.rtl_top = machine.rtl_top;
  if (wire_cycles_ == 0) return;
  const SwitchWires& wires = machine.wires;
  const std::string why = wires.cycles ? ""
                                       : fmt::format(" (half of {:g} mm at {:g} ns/mm)",
                                                     static_cast<double>(wires.chiplet_um) / 1e3,
                                                     static_cast<double>(wires.fs_per_mm) / 1e6);
  topology_.notes.push_back(
      fmt::format("wires inside a switch, from a pin to its middle = {} cycle{}{}, part of the "
                  "latency of its links",
                  wire_cycles_, wire_cycles_ == 1 ? "" : "s", why));
}

int Assembly::wires_of(NodeId node, const LinkClass& link) const {
  return topology_.nodes[node].is_switch() && !link.on_die ? wire_cycles_ : 0;
}

NodeId Assembly::add_endpoint(NodeKind kind, std::string_view stem, int ports,
                              std::uint16_t address, std::vector<NodeId>& list) {
  Node node{};
  node.kind = kind;
  node.name = fmt::format("{}{}", stem, list.size());
  node.ports = ports;
  node.address = address;
  list.push_back(add_switch(std::move(node)));
  return list.back();
}

NodeId Assembly::add_npu(int ports, std::uint16_t address) {
  return add_endpoint(NodeKind::kNpu, "npu", ports, address, topology_.npus);
}

NodeId Assembly::add_io(int ports, std::uint16_t address) {
  return add_endpoint(NodeKind::kIo, "io", ports, address, topology_.io_controllers);
}

NodeId Assembly::add_adder(int ports, std::uint16_t address) {
  return add_endpoint(NodeKind::kAdder, "adder", ports, address, topology_.adders);
}

NodeId Assembly::add_switch(Node node) {
  topology_.nodes.push_back(std::move(node));
  return static_cast<NodeId>(topology_.nodes.size() - 1);
}

void Assembly::connect(PortRef a, PortRef b, const LinkClass& link) {
  connect_one_way(a, b, link);
  connect_one_way(b, a, link);
}

void Assembly::connect_one_way(PortRef from, PortRef to, const LinkClass& link) {
  Link made;
  made.name = fmt::format("{}.{}->{}.{}", topology_.nodes[from.node].name, from.port,
                          topology_.nodes[to.node].name, to.port);
  made.from = from.node;
  made.from_port = from.port;
  made.to = to.node;
  made.to_port = to.port;
  made.rate = link_rate(link.bytes_per_second, topology_.clock_hz);
  made.latency = link.latency + wires_of(from.node, link) + wires_of(to.node, link);
  made.bytes_per_second = link.bytes_per_second;
  made.on_die = link.on_die;
  if (made.rate.num > made.rate.den) {
    const std::uint64_t min = (link.bytes_per_second + kFlitBytes - 1) / kFlitBytes;
    throw SlowClock(
        fmt::format("{}: link {} of {} carries more than one flit of {} B per cycle at clock {}; "
                    "the clock must be at least {}, or auto",
                    link.key, made.name,
                    format_bandwidth(static_cast<double>(link.bytes_per_second)), kFlitBytes,
                    format_frequency(topology_.clock_hz), format_frequency(min)),
        min);
  }
  if (made.rate.den / kMaxLatencyCycles >= made.rate.num) {
    const std::uint64_t min = topology_.clock_hz * kFlitBytes / kMaxLatencyCycles + 1;
    throw BadInput(fmt::format(
        "{}: on link {} of {} a flit of {} B takes more than {} cycles at clock {}; the link must "
        "carry at least {}",
        link.key, made.name, format_bandwidth(static_cast<double>(link.bytes_per_second)),
        kFlitBytes, kMaxLatencyCycles, format_frequency(topology_.clock_hz),
        format_bandwidth(static_cast<double>(min))));
  }
  lengthen_flits(made, link.efficiency.num, link.efficiency.den);
  topology_.links.push_back(std::move(made));
}

int Assembly::latency(std::string_view key, std::string_view what, std::uint64_t time_ps) {
  int cycles = 0;
  try {
    cycles = latency_cycles(time_ps, topology_.clock_hz);
  } catch (const BadInput& error) {
    throw BadInput(fmt::format("{}: {}", key, error.what()));
  }
  const double became_ns = cycles * 1e9 / static_cast<double>(topology_.clock_hz);
  const bool exact = static_cast<Uint128>(time_ps) * topology_.clock_hz ==
                     static_cast<Uint128>(cycles) * 1'000'000'000'000ULL;
  topology_.notes.push_back(fmt::format(
      "{} {} = {} cycle{}{}{:.3f} ns{}", what, format_time_ps(time_ps), cycles,
      cycles == 1 ? "" : "s", exact ? " (" : ", rounded up to ", became_ns, exact ? ")" : ""));
  return cycles;
}

Topology Assembly::finish() {
  topology_.links.shrink_to_fit();
  size_route_tables(topology_);
  topology_.index_ports();
  return std::move(topology_);
}

std::string switch_kind_of(const MachineSpec& machine, const TopologyKind& kind) {
  return machine.switch_kind.empty() ? std::string(kind.default_switch_kind())
                                     : machine.switch_kind;
}

int dealt_to(int count, int parts, int i) { return count / parts + (i < count % parts ? 1 : 0); }

std::uint64_t divide_bandwidth(std::uint64_t bandwidth, int parts, std::string_view key,
                               std::string_view counted) {
  if (bandwidth % static_cast<std::uint64_t>(parts) != 0) {
    throw BadInput(fmt::format("{}: {} B/s does not divide evenly over {} {}", key, bandwidth,
                               parts, counted));
  }
  return bandwidth / static_cast<std::uint64_t>(parts);
}

void check_range(std::string_view key, std::int64_t value, std::int64_t low, std::int64_t high) {
  if (value < low || value > high) {
    throw BadInput(fmt::format("{}: found {}; allowed: {} to {}", key, value, low, high));
  }
}

}  // namespace fredsim
