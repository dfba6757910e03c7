// The parameters of a fred_switch (kind.cmake) as a struct, for its twin and its testbenches.
#pragma once

#include <string>

#include "base/fp.h"
#include "base/vc_order.h"
#include "routing/fred_routing.h"
#include "switch/switch_shape.h"
#include "topology/topology.h"

namespace fredsim {

struct FredShape {
  FredSwitchShape fred;
  int lanes = 1;
  BufferShape buffers{};
  FpFormat format = FpFormat::kFp16;
  int packet_flits = kPacketFlits;
  int yield = 4, quantum = 64;  // cycles: of silence, of being busy
  VcOrder vc_order = kDefaultVcOrder;
  std::string rtl_top{};  // SwitchShape

  FredShape() = default;
  explicit FredShape(const SwitchShape& shape);  // of kind fred_kind()
  int ports() const { return fred.ports; }
  operator SwitchShape()
      const;  // NOLINT(google-explicit-constructor): the same shape for those who ask the kind
};

}  // namespace fredsim
