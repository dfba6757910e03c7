#include "switch/node_shape.h"

#include <cassert>

#include "switch/switch_kind.h"

namespace fredsim {

SwitchShape switch_shape(const Topology& topology, const Node& node, int lanes) {
  assert(node.kind == NodeKind::kFredSwitch || node.kind == NodeKind::kMeshRouter);
  const bool is_fred = node.kind == NodeKind::kFredSwitch;
  const BufferShape& buffers = topology.buffers;
  std::vector<NamedValue> values{{"LANES", lanes},
                                 {"VC_DEPTH", buffers.data_flits},
                                 {"CTRL_DEPTH", buffers.control_flits},
                                 {"OUT_DEPTH", buffers.output_flits},
                                 {"FORMAT", static_cast<int>(topology.format)}};
  if (is_fred) {
    values.insert(values.end(), {{"P", node.fred.ports}, {"M", node.fred.middle}});
  } else {
    values.insert(values.end(),
                  {{"NUM_LOCAL", node.mesh.local_ports}, {"NUM_IO", node.mesh.io_ports}});
  }
  SwitchShape shape = switch_kind(is_fred ? "fred" : "mesh").shape(values);
  shape.rtl_top = topology.rtl_top;
  return shape;
}

}  // namespace fredsim
