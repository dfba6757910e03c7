// SPDX-License-Identifier: Apache-2.0
#include "routing/mesh_routing.h"

#include <algorithm>
#include <cstdlib>

#include "topology/mesh_address.h"

namespace fredsim {

MeshPosition mesh_position(std::uint16_t address) {
  return {mesh_column(address), mesh_row(address)};
}

namespace {

// Returns true if the path to coordinate `to` begins with the next higher one; `side`: length of
// the ring, 0 on a line.
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
  const int direction = mesh_direction(from.x, from.y, to.x, to.y, topology.grid.rings);
  const int facing = direction < 0 ? 0 : direction % node.ports;
  for (int k = 0; k < node.ports; ++k)
    if (topology.link_out(npu, (facing + k) % node.ports) >= 0) return (facing + k) % node.ports;
  return facing;
}

int mesh_npu_port(int in_port, int local_ports, std::uint32_t no_link) {
  const int mirror = (in_port < kFirstLocal ? in_port : in_port - kFirstLocal) % local_ports;
  for (int k = 0; k < std::min<int>(local_ports, mesh_pkg::MASK_W); ++k) {
    const int port = (mirror + k) % local_ports;
    if (port >= static_cast<int>(mesh_pkg::MASK_W) || (no_link >> port & 1U) == 0)
      return kFirstLocal + port;
  }
  return kFirstLocal + mirror;
}

}  // namespace fredsim
