#include "fabric/switch_setup.h"

#include "switch/register_map.h"

namespace fredsim {

std::uint32_t switch_identity(const Node& node) {
  return node.kind == NodeKind::kMeshRouter ? reg::kMeshId : reg::kFredId;
}

std::vector<RegisterWrite> setup_writes(const Topology& topology, const FabricCore& core,
                                        NodeId id) {
  const Node& node = topology.nodes[id];
  std::vector<RegisterWrite> writes;
  if (node.kind == NodeKind::kMeshRouter) {
    writes.push_back({reg::kPosition, static_cast<std::uint32_t>(node.mesh.x | node.mesh.y << 8)});
    const MeshRings& rings = topology.mesh.rings;
    if (topology.kind == FabricKind::kTorus2d) {
      writes.push_back({reg::kTorus, static_cast<std::uint32_t>(rings.columns | rings.rows << 8)});
    }
  }
  for (int port = 0; port < node.ports; ++port) {
    const int link = topology.link_out(id, port);
    for (int vc = 0; vc < kNumVcs && link >= 0; ++vc) {
      writes.push_back({static_cast<std::uint16_t>(reg::kCredit + 4 * port + vc),
                        static_cast<std::uint32_t>(core.receiver_depth(link, vc))});
    }
  }
  return writes;
}

std::vector<RegisterWrite> route_writes(const OnlineRoutes& routes) {
  std::vector<RegisterWrite> writes;
  for (std::size_t destination = 0; destination < routes.size(); ++destination) {
    if (routes[destination] == 0) continue;
    writes.push_back({static_cast<std::uint16_t>(reg::kRoute + destination), routes[destination]});
  }
  return writes;
}

}  // namespace fredsim
