// SPDX-License-Identifier: Apache-2.0
// The kind "fred": Fred_M(P), rtl/fred/fred_switch.sv and its twin.
#pragma once

#include "switch/switch_kind.h"

namespace fredsim {

const SwitchKind& fred_kind();

}  // namespace fredsim
