// SPDX-License-Identifier: Apache-2.0
#include "collective/detail/edge_tree.h"

#include <algorithm>

#include "plan/members.h"
#include "routing/mesh_routing.h"

namespace fredsim {

std::optional<EdgeTree> edge_tree_of(const Topology& topology, const Part& part, int root_rank,
                                     int roots) {
  if (part.members.size() < 2) return {};
  const NodeId root = part.members[root_rank];
  if (topology.nodes[root].kind != NodeKind::kIo) return {};
  std::vector<NodeId> npus;
  std::vector<int> ranks;
  for (int rank = 0; rank < std::ssize(part.members); ++rank) {
    if (rank == root_rank || rank < roots) continue;
    npus.push_back(part.members[rank]);
    ranks.push_back(rank);
  }
  std::optional<GridBox> box = grid_box(topology, npus);
  if (!box) return {};
  for (int& rank : box->ranks) rank = ranks[rank];
  const MeshPosition at = mesh_position(topology.nodes[root].address);
  const MeshPosition first =
      mesh_position(topology.nodes[part.members[box->ranks.front()]].address);
  const int face = face_of(topology, root);
  const Comb comb{at.x - first.x, at.y - first.y, face == kEast || face == kWest, false};
  const bool is_inside = comb.x >= 0 && comb.x < box->width && comb.y >= 0 && comb.y < box->height;
  if (!is_inside) return {};
  return EdgeTree{std::move(*box), comb};
}

Tree edge_tree(TreeBuilder builder, const EdgeTree& tree, Roles roles, int root,
               const FlitRange& range, int roots) {
  const int first = tree.box.ranks[tree.comb.y * tree.box.width + tree.comb.x];
  if (reduces(roles)) builder.reduce(first, root, builder.vc());
  if (broadcasts(roles)) builder.pass_on(root, first, builder.vc());
  add_comb(builder, tree.box, tree.comb, roles);
  return builder.finish(roles, root, range, roots);
}

}  // namespace fredsim
