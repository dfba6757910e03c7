#include "routing/mesh_routing.h"

namespace fredsim {

MeshPosition mesh_position(std::uint16_t address) { return {address & 63, address >> 6 & 63}; }

int mesh_direction(int x, int y, int dst_x, int dst_y) {
  if (dst_x != x) return dst_x > x ? kEast : kWest;
  if (dst_y != y) return dst_y > y ? kSouth : kNorth;
  return -1;
}

int mesh_nic_port(const Topology& topology, NodeId npu, std::uint16_t dst) {
  const Node& node = topology.nodes[npu];
  const MeshPosition from = mesh_position(node.address);
  const MeshPosition to = mesh_position(dst);
  const int direction = mesh_direction(from.x, from.y, to.x, to.y);
  return direction < 0 ? 0 : direction % node.ports;
}

}  // namespace fredsim
