// SPDX-License-Identifier: Apache-2.0
// X-Y routing on a 2D mesh or torus: first along the row to the destination's column, then along
// the column.
//
// Rings of a torus: the shorter direction; of two paths of equal length, east or south from even
//   coordinates, west or north from odd ones. (Such a choice arises only where a packet enters a
//   ring: from the next router on, the path ahead is the shorter one. So a packet never turns
//   back.)
// Deadlock: none on a mesh; on a torus the routers prevent it (rtl/mesh/mesh_router.sv, "Rings").
#pragma once

#include <cstdint>

#include "topology/topology.h"

namespace fredsim {

// Router column and row of an endpoint's address (topology/mesh_address.h).
struct MeshPosition {
  int x = 0;
  int y = 0;
};
MeshPosition mesh_position(std::uint16_t address);

// Output direction (MeshPort kNorth … kWest) of the first hop from router (x, y) to (dst_x, dst_y);
// -1 if they are equal.
int mesh_direction(int x, int y, int dst_x, int dst_y, const MeshRings& rings);

// The local port of a router that leads to its NPU for flits from port in_port, as
// mesh_pkg::npu_port: the mirrored one, or the next one with a link. `no_link`: as in MeshPlace.
int mesh_npu_port(int in_port, int local_ports, std::uint32_t no_link);

// The NIC port by which an NPU sends to an address: the local port that faces the first hop's
// direction, so that a mesh NPU uses all its links at once. NIC port p is wired to local port p of
// the router; with fewer than four of them directions share ports (modulo). Port 0 for its own
// router. A port with a failed link is replaced by the next one with a link.
int mesh_nic_port(const Topology& topology, NodeId npu, std::uint16_t dst);

}  // namespace fredsim
