// SPDX-License-Identifier: Apache-2.0
#include "topology/dimensions/blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/units.h"
#include "topology/assembly.h"
#include "topology/credit_loop.h"
#include "topology/detail/planes.h"
#include "topology/fred_tree/fred_tree.h"
#include "topology/fully_connected/fully_connected.h"
#include "topology/torus3d/torus3d.h"

namespace fredsim {
namespace {

constexpr int kMiddle = 3;  // middle sub-networks of switches with adders

// Planes of a block: the number of its links over the minimum.
int planes_of(const BlockSpec& spec) {
  const int each = default_links(spec.shape, spec.size);
  if (spec.links % each == 0) return spec.links / each;
  throw BadInput(
      fmt::format("{}.links: found {}; allowed: a multiple of {}, {}", spec.key, spec.links, each,
                  spec.shape == BlockShape::kFullyConnected ? "as many to each of the other NPUs"
                                                            : "half of them either way"));
}

const TopologyKind& kind_of(BlockShape shape) {
  switch (shape) {
    case BlockShape::kRing:
    case BlockShape::kLine:
      return torus3d_kind();
    case BlockShape::kFullyConnected:
      return fully_connected_kind();
    case BlockShape::kSwitch:
      break;
  }
  return fred_tree_kind();
}

// Machine of a block: the common settings, with the block's size, bandwidth and latency.
MachineSpec block_machine(const MachineSpec& machine, const BlockSpec& spec) {
  MachineSpec block = machine;
  block.npus = spec.size;
  block.npu_bandwidth = spec.bandwidth;
  block.io_controllers = 0;
  block.link_latency_ps = spec.latency_ps;
  return block;
}

class BlockBuilder {
 public:
  BlockBuilder(const MachineSpec& machine, const BlockSpec& spec)
      : spec_(spec),
        machine_(block_machine(machine, spec)),
        planes_count_(planes_of(spec)),
        planes_(machine_, kind_of(spec.shape), spec.shape == BlockShape::kSwitch ? 1 : spec.size,
                planes_count_) {}

  Topology build() {
    Topology& topology = planes_.topology();
    check_ports(topology);
    planes_.add_nodes([this](int i) { return stem(i); }, [this](int) { return ports(); });
    LinkClass npu = planes_.links(spec_.key + ".bandwidth", spec_.bandwidth);
    if (spec_.shape != BlockShape::kSwitch) npu.latency = 1, npu.on_die = true;
    for (int i = 0; i < spec_.size; ++i)
      for (int s = 0; s < planes_count_; ++s)
        planes_.connect_npu(i, is_switch() ? 0 : i, s, is_switch() ? i : 0, npu);
    if (is_switch()) {
      topology.dimensions = {{spec_.size}};
      topology.tree.levels = {{.below = spec_.size}};
    } else {
      connect_switches();
    }
    return planes_.finish();
  }

 private:
  bool is_switch() const { return spec_.shape == BlockShape::kSwitch; }
  int ports() const {
    if (is_switch()) return spec_.size;
    return 1 + default_links(spec_.shape, spec_.size);
  }
  std::string stem(int i) const {
    if (is_switch()) return "l1_0";
    return fmt::format("{}{}", spec_.shape == BlockShape::kFullyConnected ? 'x' : 'r', i);
  }
  void check_ports(Topology& topology) const {
    const int most = std::max(ports(), planes_count_);
    if (most <= kMaxPorts) return;
    topology.flow_only = fmt::format("{}: found {} with {} ports; allowed: up to {}", spec_.key,
                                     most == ports() ? "a switch" : "an NPU", most, kMaxPorts);
  }

  void connect_switches() {
    const bool is_along = spec_.shape != BlockShape::kFullyConnected;
    const bool is_ring = spec_.shape == BlockShape::kRing && spec_.size > 2;
    planes_.topology().dimensions = {
        {spec_.size, is_along ? (is_ring ? Joined::kRing : Joined::kLine) : Joined::kSwitches}};
    // Bandwidth between two neighbours, all planes together.
    const std::uint64_t bandwidth = divide_bandwidth(
        spec_.bandwidth, default_links(spec_.shape, spec_.size), spec_.key + ".bandwidth", "links");
    const LinkClass link = planes_.links(spec_.key + ".bandwidth", bandwidth);
    for (int i = 0; i < spec_.size; ++i) {
      for (int s = 0; s < planes_count_; ++s) {
        if (is_along) {
          if (is_ring || i + 1 < spec_.size) connect_next(i, s, link);
          continue;
        }
        for (int other = i + 1; other < spec_.size; ++other)
          planes_.connect({planes_.chiplet(i, s), other}, {planes_.chiplet(other, s), 1 + i}, link);
      }
    }
  }

  // Upwards by port 1, into port 2; the last to the first. Two NPUs have one port each.
  void connect_next(int i, int s, const LinkClass& link) {
    planes_.connect({planes_.chiplet(i, s), 1},
                    {planes_.chiplet((i + 1) % spec_.size, s), spec_.size > 2 ? 2 : 1}, link);
  }

  const BlockSpec& spec_;
  MachineSpec machine_;
  int planes_count_;
  Planes planes_;
};

Topology build_adding_switch(const MachineSpec& machine, const BlockSpec& spec) {
  MachineSpec block = block_machine(machine, spec);
  block.switch_kind = fred_tree_kind().default_switch_kind();
  FredTreeSpec tree;
  tree.tree.levels = {{.below = spec.size}};
  tree.slices = spec.links;
  tree.middle = kMiddle;
  tree.in_switch = true;
  tree.simulate_all_slices = true;
  return build_fred_tree(block, tree);
}

// Message of a builder, with the keys of the dimension instead of a machine's keys.
std::string with_keys_of(const BlockSpec& spec, const std::string& message) {
  const std::array<std::pair<std::string_view, std::string>, 2> keys{
      {{"npu.bandwidth", spec.key + ".bandwidth"}, {"fabric.link_latency", spec.latency_key}}};
  for (const auto& [of_machine, key] : keys)
    if (message.starts_with(of_machine)) return key + message.substr(of_machine.size());
  return message;
}

Topology build_alone(const MachineSpec& machine, const BlockSpec& spec) {
  const bool adds = spec.shape == BlockShape::kSwitch && spec.in_switch && spec.size <= kMaxPorts;
  try {
    return adds ? build_adding_switch(machine, spec) : BlockBuilder(machine, spec).build();
  } catch (const SlowClock& error) {
    throw SlowClock(with_keys_of(spec, error.what()), error.min_hz());
  } catch (const BadInput& error) {
    throw BadInput(with_keys_of(spec, error.what()));
  }
}

void add_switch_latency(const BlockSpec& spec, Topology& topology) {
  if (spec.switch_latency_ps == 0) return;
  const int cycles = latency_cycles(spec.switch_latency_ps, topology.clock_hz);
  for (Link& link : topology.links)
    if (topology.nodes[link.from].is_switch()) link.latency += cycles;
}

void add_protocol(const BlockSpec& spec, Topology& topology) {
  if (spec.efficiency == Rational{1, 1}) return;
  for (Link& link : topology.links)
    if (!link.on_die) lengthen_flits(link, spec.efficiency.num, spec.efficiency.den);
  topology.notes.push_back(
      fmt::format("links carry payload in {:.6g} of their rate, the rest is protocol",
                  spec.efficiency.value()));
}

}  // namespace

int default_links(BlockShape shape, int size) {
  switch (shape) {
    case BlockShape::kRing:
    case BlockShape::kLine:
      return size == 2 ? 1 : 2;
    case BlockShape::kFullyConnected:
      return size - 1;
    case BlockShape::kSwitch:
      break;
  }
  return 1;
}

BlockFacts block_facts(BlockShape shape) {
  constexpr int kMinRing = 4;
  switch (shape) {
    case BlockShape::kRing:
      return {.links = [](int npus) { return default_links(BlockShape::kRing, npus); },
              .min_size = kMinRing};
    case BlockShape::kFullyConnected:
      return {.is_symmetrical = true,
              .links = [](int npus) { return default_links(BlockShape::kFullyConnected, npus); }};
    case BlockShape::kSwitch:
      return {.has_switch = true, .is_symmetrical = true, .links = [](int npus) {
                return default_links(BlockShape::kSwitch, npus);
              }};
    case BlockShape::kLine:
      break;
  }
  return {};
}

Topology build_block(const MachineSpec& machine, const BlockSpec& spec) {
  Topology topology = build_alone(machine, spec);
  add_switch_latency(spec, topology);
  add_protocol(spec, topology);
  size_auto_buffers(topology);
  return topology;
}

}  // namespace fredsim
