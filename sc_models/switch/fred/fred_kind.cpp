#include "switch/fred/fred_kind.h"

#include <fmt/format.h>

#include "base/error.h"
#include "switch/fred/fred_shape.h"
#include "switch/fred/fred_twin.h"

namespace fredsim {
namespace {

class FredKind final : public SwitchKind {
 public:
  FredKind() : SwitchKind(switch_facts("fred")) {}

  std::unique_ptr<SwitchCore> make_twin(const SwitchShape& shape,
                                        const std::string& /*name*/) const override {
    return std::make_unique<FredTwin>(FredShape(shape));
  }

 protected:
  void check_together(const SwitchShape& shape, const std::string& name) const override {
    const int depth = shape.value("OUT_DEPTH");
    if (depth >= kPacketFlits) return;
    throw BadInput(fmt::format(
        "{}: OUT_DEPTH of a fred switch: found {}; allowed: a packet of {} flits or more", name,
        depth, kPacketFlits));
  }
};

}  // namespace

const SwitchKind& fred_kind() {
  static const FredKind kKind;
  return kKind;
}

FredShape::FredShape(const SwitchShape& shape)
    : fred{shape.value("P"), shape.value("M")},
      lanes(shape.lanes()),
      buffers{.data_flits = shape.value("VC_DEPTH"),
              .control_flits = shape.value("CTRL_DEPTH"),
              .output_flits = shape.value("OUT_DEPTH")},
      format(static_cast<FpFormat>(shape.value("FORMAT"))),
      rtl_top(shape.rtl_top) {}

FredShape::operator SwitchShape() const {
  SwitchShape shape =
      fred_kind().shape(std::vector<NamedValue>{{"P", fred.ports},
                                                {"M", fred.middle},
                                                {"LANES", lanes},
                                                {"VC_DEPTH", buffers.data_flits},
                                                {"CTRL_DEPTH", buffers.control_flits},
                                                {"OUT_DEPTH", buffers.output_flits},
                                                {"FORMAT", static_cast<int>(format)}});
  shape.rtl_top = rtl_top;
  return shape;
}

}  // namespace fredsim
