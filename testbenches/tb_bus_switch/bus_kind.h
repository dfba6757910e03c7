// SPDX-License-Identifier: Apache-2.0
// The kind "bus": one flit a cycle from any port to any other, bus_switch.sv and its twin.
#pragma once

#include "switch/switch_kind.h"

namespace fredsim {

const SwitchKind& bus_kind();

}  // namespace fredsim
