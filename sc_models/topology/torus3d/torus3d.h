// SPDX-License-Identifier: Apache-2.0
// 3D torus: a switch with an NPU at every place, and rings of switches along x, y and z. Every
// switch is `planes` parallel chiplets; a plane is a torus of its own, and shares nothing with
// further planes: a slice (Node::slice).
//   Numbers: NPU and switch i = x + size_x * (y + size_y * z).
//   Names: t<x>_<y>_<z>.s<s>: the switch at x, y, z, plane s.
//   Ports of a chiplet: its NPU; for each of x, y and z the port to the next higher place of the
//     ring, then the port to the next lower one; then its I/O controllers. A side of 2 has only the
//     first of the two ports, a side of 1 none.
//   The I/O controllers are dealt out over the switches in order, as evenly as possible, the first
//     ones getting one more.
//   NPU and I/O: NIC port s is joined to plane s, at bandwidth / planes.
//   Addresses: NPU i has address i, I/O controller j has npus + j.
// Unicasts are routed by tables, dimension by dimension (topology/dimension_order.h, with the
//   proof of deadlock freedom).
// Errors: BadInput as topology/machine_spec.h says.
#pragma once

#include <array>
#include <cstdint>

#include "topology/machine_spec.h"
#include "topology/topology.h"
#include "topology/topology_kind.h"

namespace fredsim {

struct Torus3dSpec {
  std::array<int, 3> sides{};  // x, y, z
  int planes = 1;
  std::uint64_t ring_bandwidth = 0;  // from one switch to the next, over all planes
};
inline constexpr int kMaxTorusSide = 64;
Topology build_torus3d(const MachineSpec& machine, const Torus3dSpec& spec);

const TopologyKind& torus3d_kind();

}  // namespace fredsim
