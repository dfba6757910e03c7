#include "engine/layout.h"

#include <map>
#include <utility>

#include "switch/node_shape.h"

namespace fredsim {
namespace {

std::string kind_name(FabricKind kind) {
  switch (kind) {
    case FabricKind::kMesh2d:
      return "mesh2d";
    case FabricKind::kTorus2d:
      return "torus2d";
    case FabricKind::kFredTree:
      return "fred_tree";
  }
  return "";
}

// Switches by their RTL top.
std::string kind_name(const Node& node) {
  if (node.is_switch()) return kind_of(node).rtl_top();
  return node.kind == NodeKind::kNpu ? "npu" : "io";
}

}  // namespace

Layout layout_of(const Topology& topology) {
  Layout layout{.kind = kind_name(topology.kind), .nodes = {}};
  // Chiplets of (level, slice) so far. Switches come in order, each with all of its own.
  std::map<std::pair<int, int>, int> seen;
  for (const Node& node : topology.nodes) {
    LayoutNode& place = layout.nodes.emplace_back();
    place.name = node.name;
    place.kind = kind_name(node);
    place.lost = node.lost;
    if (node.lost && node.above >= 0) place.above = topology.nodes[node.above].name;
    if (node.is_endpoint()) continue;
    if (topology.is_grid()) {
      place.grid = GridPlace{.x = node.mesh.x, .y = node.mesh.y};
    } else {
      const int chiplets = topology.fred.levels[node.level - 1].chiplets_per_slice;
      const int index = seen[{node.level, node.slice}]++;
      place.tree = TreePlace{.level = node.level,
                             .switch_index = index / chiplets,
                             .slice = node.slice,
                             .chiplet = index % chiplets};
    }
  }
  return layout;
}

}  // namespace fredsim
