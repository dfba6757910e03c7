#include <cassert>

#include "switch/switch_core.h"

namespace fredsim {

SwitchShape switch_shape(const Node& node, const BufferShape& buffers, int lanes, FpFormat format) {
  assert(node.kind == NodeKind::kFredSwitch || node.kind == NodeKind::kMeshRouter);
  SwitchShape shape;
  shape.kind = node.kind;
  shape.fred = node.fred;
  shape.local_ports = node.mesh.local_ports;
  shape.io_ports = node.mesh.io_ports;
  shape.lanes = lanes;
  shape.buffers = buffers;
  shape.format = format;
  return shape;
}

}  // namespace fredsim
