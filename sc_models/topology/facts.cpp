#include "topology/facts.h"

#include <algorithm>

namespace fredsim {

MicroSwitchCount count_micro_switches(const FredSwitchShape& shape) {
  MicroSwitchCount count;
  int networks = 1;  // sub-networks on this level of the recursion
  int ports = shape.ports;
  for (; ports > 2; ports = (ports + 1) / 2) {
    count.reduce += networks * (ports / 2);
    count.distribute += networks * (ports / 2);
    count.demuxes += networks * (ports % 2);
    count.muxes += networks * (ports % 2);
    networks *= shape.middle;
  }
  count.reduce_distribute = networks;
  return count;
}

int mesh_bisection_links(int width, int height) {
  const int longer = std::max(width, height);
  const int shorter = std::min(width, height);
  if (longer == 1) return 0;
  // Straight across the middle of the longer side where that leaves equal halves (or the mesh is a
  // line); else with one step in the middle row or column, which crosses one link more.
  return longer % 2 == 0 || shorter == 1 ? shorter : shorter + 1;
}

std::uint64_t bisection_bytes_per_second(const Topology& topology) {
  const auto level = [&](NodeId node) { return topology.nodes[node].level; };
  if (topology.kind == FabricKind::kMesh2d) {
    const auto link =
        std::find_if(topology.links.begin(), topology.links.end(), [&](const Link& candidate) {
          return level(candidate.from) == 1 && level(candidate.to) == 1;
        });
    if (link == topology.links.end()) return 0;
    return link->bytes_per_second * static_cast<std::uint64_t>(mesh_bisection_links(
                                        topology.mesh.width, topology.mesh.height));
  }
  const int top = topology.fred.depth();
  std::uint64_t upwards = 0;
  for (const Link& link : topology.links) {
    if (level(link.to) != top || level(link.from) >= top) continue;
    if (topology.nodes[link.from].kind != NodeKind::kIo) upwards += link.bytes_per_second;
  }
  return upwards / 2;
}

}  // namespace fredsim
