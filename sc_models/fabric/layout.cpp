#include "fabric/layout.h"

#include <map>
#include <utility>

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

std::string kind_name(NodeKind kind) {
  switch (kind) {
    case NodeKind::kNpu:
      return "npu";
    case NodeKind::kIo:
      return "io";
    case NodeKind::kFredSwitch:
      return "fred_switch";
    case NodeKind::kMeshRouter:
      return "mesh_router";
  }
  return "";
}

}  // namespace

Layout layout_of(const Topology& topology) {
  Layout layout{.kind = kind_name(topology.kind), .nodes = {}};
  // Chiplets of (level, slice) so far. Switches come in order, each with all of its own.
  std::map<std::pair<int, int>, int> seen;
  for (const Node& node : topology.nodes) {
    LayoutNode& place = layout.nodes.emplace_back();
    place.name = node.name;
    place.kind = kind_name(node.kind);
    if (node.kind == NodeKind::kMeshRouter) {
      place.grid = GridPlace{.x = node.mesh.x, .y = node.mesh.y};
    } else if (node.kind == NodeKind::kFredSwitch) {
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
