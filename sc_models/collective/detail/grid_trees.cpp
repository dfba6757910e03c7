// SPDX-License-Identifier: Apache-2.0
#include "collective/detail/grid_trees.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <vector>

#include "routing/mesh_routing.h"

namespace fredsim {
namespace {

struct Root {
  int x = 0, y = 0;
  bool rows_first = true;
};

// Direction of the first hop to the root; -1 at the root.
int direction(const MeshPlace& from, const Root& root) {
  if (root.rows_first) return mesh_direction(from.x, from.y, root.x, root.y, MeshRings{});
  if (from.y != root.y) return from.y < root.y ? kSouth : kNorth;
  return mesh_direction(from.x, from.y, root.x, root.y, MeshRings{});
}

ReductionTree tree_to(const Topology& topology, const ReductionTree& lowest, const Root& root) {
  const auto place = [&](NodeId router) -> const MeshPlace& { return topology.nodes[router].mesh; };
  std::map<NodeId, ReductionNode> nodes;
  for (const ReductionNode& leaf : lowest) {
    NodeId at = leaf.chiplet;
    nodes[at].members = leaf.members;
    for (int port = direction(place(at), root); port >= 0; port = direction(place(at), root)) {
      nodes[at].chiplet = at;
      nodes[at].up_port = port;
      at = topology.links[topology.link_out(at, port)].to;
    }
    nodes[at].chiplet = at;
  }
  // Each hop is one nearer to the root, so the farthest ones come before their parents.
  ReductionTree tree;
  for (auto& [router, node] : nodes) tree.push_back(std::move(node));
  std::ranges::stable_sort(tree, std::ranges::greater{}, [&](const ReductionNode& node) {
    return std::abs(place(node.chiplet).x - root.x) + std::abs(place(node.chiplet).y - root.y);
  });
  std::map<NodeId, int> index;
  for (int n = 0; n < std::ssize(tree); ++n) index[tree[n].chiplet] = n;
  for (int n = 0; n + 1 < std::ssize(tree); ++n) {
    const Link& up = topology.links[topology.link_out(tree[n].chiplet, tree[n].up_port)];
    tree[n].parent = index.at(up.to);
    tree[tree[n].parent].children.push_back({up.to_port, n});
  }
  return tree;
}

// The rank that alone contributes, or receives.
std::optional<int> only_rank(const GroupRoles& roles) {
  for (const auto* of : {&roles.contributes, &roles.receives}) {
    if (std::ranges::count(*of, true) == 1)
      return static_cast<int>(std::ranges::find(*of, true) - of->begin());
  }
  return std::nullopt;
}

// low … high, the nearest to `centre` first.
std::vector<int> around(int centre, int low, int high) {
  std::vector<int> order;
  for (int i = low; i <= high; ++i) order.push_back(i);
  std::ranges::stable_sort(order, {}, [&](int i) { return std::abs(i - centre); });
  return order;
}

}  // namespace

bool visit_grid_trees(const Topology& topology, const ReductionTree& lowest,
                      const GroupRoles& roles,
                      const std::function<bool(const ReductionTree&)>& visit) {
  const MeshPlace& first = topology.nodes[lowest.front().chiplet].mesh;
  int west = first.x, east = first.x, north = first.y, south = first.y;
  const std::optional<int> only = only_rank(roles);
  std::optional<MeshPlace> fixed;
  for (const ReductionNode& node : lowest) {
    const MeshPlace& place = topology.nodes[node.chiplet].mesh;
    west = std::min(west, place.x), east = std::max(east, place.x);
    north = std::min(north, place.y), south = std::max(south, place.y);
    if (only && std::ranges::count(node.members, *only, &ReductionNode::Member::rank) > 0)
      fixed = place;
  }
  const int x = fixed ? fixed->x : (west + east) / 2;
  const int y = fixed ? fixed->y : (north + south) / 2;
  std::vector<Root> roots;
  for (const int column : around(x, west, east)) roots.push_back({column, y, true});
  for (const int row : around(y, north, south)) roots.push_back({x, row, false});
  return std::ranges::any_of(
      roots, [&](const Root& root) { return visit(tree_to(topology, lowest, root)); });
}

}  // namespace fredsim
