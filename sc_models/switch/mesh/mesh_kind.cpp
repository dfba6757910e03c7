#include "switch/mesh/mesh_kind.h"

#include "switch/mesh/mesh_shape.h"
#include "switch/mesh/mesh_twin.h"

namespace fredsim {
namespace {

class MeshKind final : public SwitchKind {
 public:
  MeshKind() : SwitchKind(switch_facts("mesh")) {}

  std::unique_ptr<SwitchCore> make_twin(const SwitchShape& shape,
                                        const std::string& /*name*/) const override {
    return std::make_unique<MeshTwin>(MeshShape(shape));
  }
};

}  // namespace

const SwitchKind& mesh_kind() {
  static const MeshKind kKind;
  return kKind;
}

MeshShape::MeshShape(const SwitchShape& shape)
    : local_ports(shape.value("NUM_LOCAL")),
      io_ports(shape.value("NUM_IO")),
      lanes(shape.lanes()),
      buffers{.data_flits = shape.value("VC_DEPTH"), .control_flits = shape.value("CTRL_DEPTH")},
      rtl_top(shape.rtl_top) {}

MeshShape::operator SwitchShape() const {
  SwitchShape shape =
      mesh_kind().shape(std::vector<NamedValue>{{"NUM_LOCAL", local_ports},
                                                {"NUM_IO", io_ports},
                                                {"LANES", lanes},
                                                {"VC_DEPTH", buffers.data_flits},
                                                {"CTRL_DEPTH", buffers.control_flits}});
  shape.rtl_top = rtl_top;
  return shape;
}

}  // namespace fredsim
