// SPDX-License-Identifier: Apache-2.0
#include "switch/node_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace fredsim {

const SwitchKind& kind_of(const Node& node) {
  assert(node.is_switch());
  return switch_kind(node.switch_kind);
}

SwitchShape switch_shape(const Topology& topology, const Node& node, int lanes) {
  const BufferShape& buffers = topology.buffers_of(node);
  std::vector<NamedValue> values{{"LANES", lanes},
                                 {"VC_DEPTH", buffers.data_flits},
                                 {"CTRL_DEPTH", buffers.control_flits},
                                 {"OUT_DEPTH", buffers.output_flits},
                                 {"FORMAT", static_cast<int>(topology.format)},
                                 {"PACKET_FLITS", topology.packet_flits},
                                 {"VC_ORDER", number_of(topology.vc_order)}};
  for (const auto* more : {&topology.switch_values, &node.values}) {
    values.insert(values.end(), more->begin(), more->end());
  }
  SwitchShape shape = kind_of(node).shape(values);
  shape.rtl_top = topology.rtl_top;
  shape.own_values = topology.own_values;
  if (shape.ports() != node.ports) {
    throw std::logic_error(fmt::format("topology: {} has {} ports, its switch {}", node.name,
                                       node.ports, shape.ports()));
  }
  return shape;
}

bool routes_by_table(const Topology& topology) {
  return std::ranges::any_of(topology.machines(), [](const Topology* one) {
    const auto first = std::ranges::find_if(one->nodes, &Node::is_switch);
    return first != one->nodes.end() && kind_of(*first).unicast_routes() == UnicastRoutes::kByTable;
  });
}

bool adds_in_switches(const Topology& topology) {
  return std::ranges::all_of(topology.nodes, [&](const Node& node) {
    return node.is_endpoint() || kind_of(node).num_phases(switch_shape(topology, node)) > 0;
  });
}

bool has_phases(const Topology& topology) {
  return std::ranges::any_of(topology.nodes, [&](const Node& node) {
    return node.is_switch() && kind_of(node).num_phases(switch_shape(topology, node)) > 0;
  });
}

namespace {

int value_or_one(const Topology& topology, std::string_view parameter) {
  const auto said = std::ranges::find(topology.switch_values, parameter, &NamedValue::name);
  return said == topology.switch_values.end() ? 1 : said->value;
}

}  // namespace

int phases_in_use(const Topology& topology) { return value_or_one(topology, "PHASES_IN_USE"); }

int added_stages(const Topology& topology) {
  if (value_or_one(topology, "ADDER_STAGES") == 1) return 0;
  Topology plain;
  plain.buffers = topology.buffers;
  const Node* largest = nullptr;
  for (const Node& node : topology.nodes)
    if (node.is_switch() && (largest == nullptr || node.ports > largest->ports)) largest = &node;
  if (largest == nullptr) return 0;
  const auto cycles = [&](const Topology& of) {
    const std::optional<SwitchTiming> timing = kind_of(*largest).timing(switch_shape(of, *largest));
    return timing ? timing->to_pins : 0;
  };
  return cycles(topology) - cycles(plain);
}

int switch_cycles(const Topology& topology, const Node& node) {
  const std::optional<SwitchTiming> timing = kind_of(node).timing(switch_shape(topology, node));
  return timing ? timing->through() : kUnstatedCycles;
}

}  // namespace fredsim
