// SPDX-License-Identifier: Apache-2.0
// The parameters of a mesh_router (kind.cmake) as a struct, for its twin and its testbenches.
#pragma once

#include <string>

#include "base/vc_order.h"
#include "switch/switch_shape.h"
#include "topology/topology.h"

namespace fredsim {

struct MeshShape {
  int local_ports = 0;
  int io_ports = 0;
  int lanes = 1;
  BufferShape buffers{};
  int packet_flits = kPacketFlits;
  VcOrder vc_order = kDefaultVcOrder;
  std::string rtl_top{};  // see SwitchShape

  MeshShape() = default;
  explicit MeshShape(const SwitchShape& shape);  // kind: mesh_kind()
  int ports() const { return kFirstLocal + local_ports + io_ports; }
  operator SwitchShape()
      const;  // NOLINT(google-explicit-constructor): the same shape for those who ask the kind
};

}  // namespace fredsim
