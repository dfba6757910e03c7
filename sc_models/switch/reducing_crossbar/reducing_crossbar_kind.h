// SPDX-License-Identifier: Apache-2.0
// The kind "reducing_crossbar": a crossbar with an adder tree at every output (§9),
// rtl/reducing_crossbar/reducing_crossbar.sv and its twin.
#pragma once

#include "switch/switch_kind.h"

namespace fredsim {

const SwitchKind& reducing_crossbar_kind();

}  // namespace fredsim
