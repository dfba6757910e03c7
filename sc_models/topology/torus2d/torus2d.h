// SPDX-License-Identifier: Apache-2.0
// A 2D torus: the mesh, with a link from the east end of every row to its west end and from the
// south end of every column to its north end, at the ports that the mesh leaves free there (a side
// of 2 or 1 has no such link). I/O controllers are placed as on the mesh. Routers prevent deadlock
// on their rings by buffers that hold more than a packet (rtl/mesh/mesh_router.sv): BadInput for
// smaller buffers.
#pragma once

#include "topology/mesh2d/mesh2d.h"
#include "topology/topology_kind.h"

namespace fredsim {

Topology build_torus2d(const MachineSpec& machine, const Mesh2dSpec& spec);

const TopologyKind& torus2d_kind();

}  // namespace fredsim
