// SPDX-License-Identifier: Apache-2.0
// A 2D mesh. The NPU at column x and row y is npu<y*width+x> on router r<x>_<y>.
//   NPU: 4 NIC ports; NIC port i is joined to local port i (router port 4 + i) at
//     npu_bandwidth / 4, but no more than one flit per cycle: this joint is inside the NPU's
//     own router, no wafer link.
//   I/O: one controller on each outward face, faces taken router by router in row-major order and
//     N, E, S, W at a router; its first gets I/O port 0 (router port 8), its second I/O port 1. A
//     router has two I/O ports: on a mesh of width or height 1 the faces beyond stay empty (and a
//     note says so).
//   Addresses: mesh_address(x, y, 0) for the NPU, mesh_address(x, y, 1 + k) for I/O port k.
// Errors: BadInput as topology/machine_spec.h says.
#pragma once

#include <cstdint>

#include "topology/machine_spec.h"
#include "topology/topology_kind.h"

namespace fredsim {

struct Mesh2dSpec {
  int width = 0;   // 1 … 64
  int height = 0;  // 1 … 64
  std::uint64_t link_bandwidth = 0;
  std::uint64_t local_latency_ps = 0;  // NPU to its own router; at least one cycle
};
inline constexpr int kMaxMeshSide = 64;
Topology build_mesh2d(const MachineSpec& machine, const Mesh2dSpec& spec);
// Grid of the same routers, with rings if the kind has them.
Topology build_grid(const MachineSpec& machine, const Mesh2dSpec& spec, const TopologyKind& kind);
int mesh_io_controllers(int width, int height);  // maximum number: 18 for 5 x 4

// Directed links between the halves of a mesh or torus, over the minimum cut into halves that
// differ by at most one router.
int mesh_bisection_links(const SwitchGrid& mesh);

}  // namespace fredsim
