#include "topology/facts.h"

#include <fmt/format.h>

#include <algorithm>

namespace fredsim {

int mesh_bisection_links(const MeshFacts& mesh) {
  if (mesh.width == 1 && mesh.height == 1) return 0;
  // Straight across a side, at one place, at two on a ring; where the side is odd, one of them has a step
  // in the middle, across the other side.
  const auto across = [](int side, int ring, int other, int other_ring) {
    const int step = other == 1 ? 0 : other_ring != 0 ? 2 : 1;
    return (ring != 0 ? 2 : 1) * other + (side % 2 != 0 ? step : 0);
  };
  const MeshRings& rings = mesh.rings;
  const int columns = across(mesh.width, rings.columns, mesh.height, rings.rows);
  const int rows = across(mesh.height, rings.rows, mesh.width, rings.columns);
  if (mesh.width == 1) return rows;
  if (mesh.height == 1) return columns;
  return std::min(columns, rows);
}

std::uint64_t bisection_bytes_per_second(const Topology& topology) {
  const auto level = [&](NodeId node) { return topology.nodes[node].level; };
  if (topology.has_places()) {
    const auto link =
        std::find_if(topology.links.begin(), topology.links.end(), [&](const Link& candidate) {
          return level(candidate.from) == 1 && level(candidate.to) == 1;
        });
    if (link == topology.links.end()) return 0;
    return link->bytes_per_second * static_cast<std::uint64_t>(mesh_bisection_links(topology.mesh));
  }
  const int top = topology.fred.depth();
  std::uint64_t upwards = 0;
  for (const Link& link : topology.links) {
    if (level(link.to) != top || level(link.from) >= top) continue;
    if (topology.nodes[link.from].kind != NodeKind::kIo) upwards += link.bytes_per_second;
  }
  return upwards / 2;
}

std::string place_name(const Topology& topology, const Node& node) {
  if (node.is_endpoint()) return node.kind == NodeKind::kNpu ? "NPU" : "I/O";
  return topology.has_levels() ? fmt::format("L{}", node.level) : "router";
}

}  // namespace fredsim
