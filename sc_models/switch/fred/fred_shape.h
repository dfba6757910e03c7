// SPDX-License-Identifier: Apache-2.0
// The parameters of a fred_switch (kind.cmake) as a struct, for its twin and its testbenches.
#pragma once

#include "routing/fred_routing.h"
#include "switch/phased/phased_shape.h"
#include "switch/switch_shape.h"

namespace fredsim {

struct FredShape : PhasedShape {
  FredSwitchShape fred;

  FredShape() = default;
  explicit FredShape(const SwitchShape& shape);  // kind: fred_kind()
  int ports() const { return fred.ports; }
  operator SwitchShape()
      const;  // NOLINT(google-explicit-constructor): the same shape for those who ask the kind
};

}  // namespace fredsim
