// SPDX-License-Identifier: Apache-2.0
#include "topology/dimensions/dimensions.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/error.h"
#include "base/units.h"
#include "topology/assembly.h"
#include "topology/system.h"

namespace fredsim {
namespace {

std::string key_of(std::size_t dimension) {
  return fmt::format("fabric.dimensions.{}", dimension + 1);
}

void check_sizes(const std::vector<DimensionSpec>& dimensions) {
  std::int64_t npus = 1;
  for (const DimensionSpec& one : dimensions) {
    npus *= one.machine ? static_cast<std::int64_t>(one.machine->npus.size()) : one.block.size;
    if (npus > kMaxSystemNpus) {
      throw BadInput(
          fmt::format("fabric.dimensions: found sizes whose product is over {}; "
                      "allowed: up to {} NPUs",
                      kMaxSystemNpus, kMaxSystemNpus));
    }
  }
}

// Common settings of a system: clock, buffers and formats are its machine's, or the first
// machine's. Each machine keeps its own buffers, but all receive buffers of NPUs have the maximum
// size.
MachineSpec common_machine(MachineSpec machine, const std::vector<DimensionSpec>& dimensions) {
  const Topology* first = nullptr;
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    if (!dimensions[d].machine) continue;
    const Topology& one = *dimensions[d].machine;
    const auto refuse = [&](const std::string& what, const std::string& found,
                            const std::string& allowed) {
      throw BadInput(
          fmt::format("{}.machine: found {} with {} {}; allowed: {}, as all of the system has",
                      key_of(d), one.name, what, found, allowed));
    };
    if (one.clock_hz != machine.clock_hz)
      refuse("a clock of", format_frequency(one.clock_hz), format_frequency(machine.clock_hz));
    if (!one.flow_only.empty() || one.has_blocks())
      refuse("fabric.type", one.kind, "a machine that is no system");
    if (machine.buffers.receive_flits != kAutoBuffer) {
      machine.buffers.receive_flits =
          std::max(machine.buffers.receive_flits, one.buffers.receive_flits);
    }
    if (first == nullptr) {
      first = &one;
      machine.packet_flits = one.packet_flits;
      machine.vc_order = one.vc_order;
      machine.format = one.format;
      machine.switch_values = one.switch_values;
    } else if (one.packet_flits != first->packet_flits) {
      refuse("packets of", fmt::format("{} flits", one.packet_flits),
             fmt::format("{} flits", first->packet_flits));
    } else if (one.format != first->format) {
      refuse("additions in", std::string(to_string(one.format)),
             std::string(to_string(first->format)));
    }
  }
  return machine;
}

class SystemBuilder {
 public:
  SystemBuilder(const MachineSpec& machine, std::vector<SystemBlock> blocks)
      : assembly_(machine, dimensions_kind()), blocks_(std::move(blocks)), places_(blocks_) {}

  Topology build() {
    Topology& topology = assembly_.topology();
    topology.blocks = blocks_;
    add_npus();
    for (int d = 0; d < places_.dimensions(); ++d) add_nodes(d, NodeKind::kSwitch);
    for (int d = 0; d < places_.dimensions(); ++d) add_nodes(d, NodeKind::kIo);
    for (int d = 0; d < places_.dimensions(); ++d) add_links(d);
    for (const SystemBlock& block : blocks_) {
      const Topology& one = *block.topology;
      if (topology.flow_only.empty()) topology.flow_only = one.flow_only;
      if (one.has_places()) topology.grid.rings = one.grid.rings;
      std::ranges::copy(one.dimensions, std::back_inserter(topology.dimensions));
      for (const std::string& note : one.notes)
        topology.notes.push_back(fmt::format("{}: {}", block.name, note));
    }
    return assembly_.finish();
  }

 private:
  void add_npus() {
    int ports = 0;
    for (const SystemBlock& block : blocks_) ports += block.topology->nodes.front().ports;
    for (int i = 0; i < places_.npus(); ++i) {
      assembly_.add_npu(ports, blocks_.front().topology->nodes[places_.place(i, 0)].address);
    }
    if (ports > kMaxPorts) {
      assembly_.topology().flow_only =
          fmt::format("found NPUs with {} ports; allowed: up to {}", ports, kMaxPorts);
    }
  }

  void add_nodes(int dimension, NodeKind kind) {
    const SystemBlock& block = blocks_[dimension];
    for (int group = 0; group < places_.groups(dimension); ++group) {
      for (const Node& node : block.topology->nodes) {
        if (node.kind != kind) continue;
        Node copy = node;
        copy.above = -1;
        const BufferShape& buffers = block.topology->buffers_of(node);
        if (buffers != assembly_.topology().buffers) copy.buffers = buffers;
        if (kind == NodeKind::kSwitch) {
          copy.name = fmt::format("{}.{}.{}", block.name, group, node.name);
          assembly_.add_switch(std::move(copy));
        } else {
          assembly_.add_io(copy.ports, copy.address);
        }
      }
    }
  }

  void add_links(int dimension) {
    const SystemBlock& block = blocks_[dimension];
    Topology& topology = assembly_.topology();
    const auto end = [&](int group, NodeId node, int port) {
      const bool is_npu = block.topology->nodes[node].kind == NodeKind::kNpu;
      return PortRef{places_.node(dimension, group, node), port + (is_npu ? block.first_port : 0)};
    };
    for (int group = 0; group < places_.groups(dimension); ++group) {
      for (const Link& link : block.topology->links) {
        Link copy = link;
        const PortRef from = end(group, link.from, link.from_port);
        const PortRef to = end(group, link.to, link.to_port);
        copy.from = from.node, copy.from_port = from.port;
        copy.to = to.node, copy.to_port = to.port;
        copy.name = fmt::format("{}.{}->{}.{}", topology.nodes[copy.from].name, copy.from_port,
                                topology.nodes[copy.to].name, copy.to_port);
        topology.links.push_back(std::move(copy));
      }
    }
  }

  Assembly assembly_;
  std::vector<SystemBlock> blocks_;
  SystemPlaces places_;
};

// Checks that NPUs come first in a block, with equal numbers of ports.
void check_machine(const Topology& machine, const std::string& key) {
  for (std::size_t i = 0; i < machine.npus.size(); ++i) {
    const Node& node = machine.nodes[machine.npus[i]];
    if (machine.npus[i] == static_cast<NodeId>(i) && !node.failed &&
        node.ports == machine.nodes[machine.npus[0]].ports)
      continue;
    throw BadInput(
        fmt::format("{}.machine: found {}, whose NPUs differ; allowed: a machine without "
                    "failed NPUs",
                    key, machine.name));
  }
}

std::uint64_t npu_bandwidth(const Topology& machine) {
  std::uint64_t bandwidth = 0;
  for (const Link& link : machine.links)
    if (link.from == machine.npus.front()) bandwidth += link.bytes_per_second;
  return bandwidth;
}

}  // namespace

Topology build_dimensions(const MachineSpec& machine, std::vector<DimensionSpec> dimensions) {
  check_sizes(dimensions);
  MachineSpec common = common_machine(machine, dimensions);
  std::vector<Topology> built;
  int receive = common.buffers.receive_flits;
  for (DimensionSpec& one : dimensions) {
    built.push_back(one.machine ? std::move(*one.machine) : build_block(common, one.block));
    receive = std::max(receive, built.back().buffers.receive_flits);
  }
  common.buffers.receive_flits = receive;
  std::vector<SystemBlock> blocks;
  int ports = 0;
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    const DimensionSpec& one = dimensions[d];
    SystemBlock& block = blocks.emplace_back();
    block.name = one.name;
    block.word = one.word;
    block.first_port = ports;
    if (one.machine) {
      check_machine(built[d], key_of(d));
      block.facts.has_switch = built[d].has_levels();
      block.bandwidth = npu_bandwidth(built[d]);
    } else {
      block.bandwidth = one.block.bandwidth;
      block.facts = block_facts(one.block.shape);
      built[d].buffers.receive_flits = receive;
    }
    block.topology = std::make_shared<const Topology>(std::move(built[d]));
    ports += block.topology->nodes.front().ports;
  }
  return SystemBuilder(common, std::move(blocks)).build();
}

}  // namespace fredsim
