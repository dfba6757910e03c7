#include "routing/mesh_routing.h"

#include <cstdlib>

#include "topology/mesh_address.h"

namespace fredsim {

MeshPosition mesh_position(std::uint16_t address) {
  return {mesh_column(address), mesh_row(address)};
}

namespace {

// Whether the way to coordinate `to` begins with the next higher one; `side`: of the ring, 0 on a line.
bool is_upwards(int from, int to, int side) {
  const int twice = 2 * std::abs(to - from);
  if (side != 0 && twice == side) return from % 2 == 0;
  return (to > from) == (side == 0 || twice < side);
}

}  // namespace

int mesh_direction(int x, int y, int dst_x, int dst_y, const MeshRings& rings) {
  if (dst_x != x) return is_upwards(x, dst_x, rings.columns) ? kEast : kWest;
  if (dst_y != y) return is_upwards(y, dst_y, rings.rows) ? kSouth : kNorth;
  return -1;
}

int mesh_nic_port(const Topology& topology, NodeId npu, std::uint16_t dst) {
  const Node& node = topology.nodes[npu];
  const MeshPosition from = mesh_position(node.address);
  const MeshPosition to = mesh_position(dst);
  const int direction = mesh_direction(from.x, from.y, to.x, to.y, topology.mesh.rings);
  return direction < 0 ? 0 : direction % node.ports;
}

}  // namespace fredsim
