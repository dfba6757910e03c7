#include <cassert>

#include "switch/switch_core.h"

namespace fredsim {

SwitchShape switch_shape(const Topology& topology, const Node& node, int lanes) {
  assert(node.kind == NodeKind::kFredSwitch || node.kind == NodeKind::kMeshRouter);
  SwitchShape shape;
  shape.kind = node.kind;
  shape.fred = node.fred;
  shape.local_ports = node.mesh.local_ports;
  shape.io_ports = node.mesh.io_ports;
  shape.lanes = lanes;
  shape.buffers = topology.buffers;
  shape.format = topology.format;
  shape.rtl_top = topology.rtl_top;
  return shape;
}

}  // namespace fredsim
