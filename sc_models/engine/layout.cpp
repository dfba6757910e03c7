// SPDX-License-Identifier: Apache-2.0
#include "engine/layout.h"

#include "switch/node_shape.h"

namespace fredsim {
namespace {

// Kind of a node; a switch's is its RTL top.
std::string kind_name(const Node& node) {
  if (node.is_switch()) return kind_of(node).rtl_top();
  return node.kind == NodeKind::kNpu ? "npu" : node.kind == NodeKind::kAdder ? "adder" : "io";
}

}  // namespace

Layout layout_of(const Topology& topology) {
  Layout layout{.kind = topology.kind, .nodes = {}};
  for (const Node& node : topology.nodes) {
    LayoutNode& place = layout.nodes.emplace_back();
    place.name = node.name;
    place.kind = kind_name(node);
    place.failed = node.failed;
    if (node.failed && node.above >= 0) place.above = topology.nodes[node.above].name;
    if (node.is_endpoint()) continue;
    if (topology.has_places()) {
      place.grid = GridPlace{.x = node.mesh.x, .y = node.mesh.y};
    } else if (topology.has_slices()) {
      place.tree = TreePlace{.level = node.level,
                             .switch_index = node.switch_index,
                             .slice = node.slice,
                             .chiplet = node.chiplet};
    }
  }
  return layout;
}

}  // namespace fredsim
