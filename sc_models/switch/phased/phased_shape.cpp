// SPDX-License-Identifier: Apache-2.0
#include "switch/phased/phased_shape.h"

#include "switch/switch_kind.h"

namespace fredsim {
namespace {

int or_one(const SwitchShape& shape, std::string_view parameter) {
  return shape.kind->index(parameter) < 0 ? 1 : shape.value(parameter);
}

}  // namespace

PhasedShape::PhasedShape(const SwitchShape& shape)
    : lanes(shape.lanes()),
      buffers{.data_flits = shape.value("VC_DEPTH"),
              .control_flits = shape.value("CTRL_DEPTH"),
              .output_flits = shape.value("OUT_DEPTH")},
      format(static_cast<FpFormat>(shape.value("FORMAT"))),
      packet_flits(shape.value("PACKET_FLITS")),
      yield(shape.value("YIELD")),
      quantum(shape.value("QUANTUM")),
      phases_in_use(phases_in_use_of(shape)),
      adder_stages(adder_stages_of(shape)),
      vc_order(vc_order_of(shape.value("VC_ORDER"))),
      rtl_top(shape.rtl_top) {}

std::vector<NamedValue> PhasedShape::values() const {
  std::vector<NamedValue> values{{"LANES", lanes},
                                 {"VC_DEPTH", buffers.data_flits},
                                 {"CTRL_DEPTH", buffers.control_flits},
                                 {"OUT_DEPTH", buffers.output_flits},
                                 {"FORMAT", static_cast<int>(format)},
                                 {"PACKET_FLITS", packet_flits},
                                 {"YIELD", yield},
                                 {"QUANTUM", quantum},
                                 {"VC_ORDER", number_of(vc_order)}};
  if (phases_in_use > 1) values.push_back({"PHASES_IN_USE", phases_in_use});
  if (adder_stages > 1) values.push_back({"ADDER_STAGES", adder_stages});
  return values;
}

int phases_in_use_of(const SwitchShape& shape) { return or_one(shape, "PHASES_IN_USE"); }

int adder_stages_of(const SwitchShape& shape) { return or_one(shape, "ADDER_STAGES"); }

}  // namespace fredsim
