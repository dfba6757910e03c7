// SPDX-License-Identifier: Apache-2.0
// The kind "aggregator": a crossbar with a central pool of adders, rtl/aggregator/aggregator.sv and
// its twin.
#pragma once

#include "switch/switch_kind.h"

namespace fredsim {

const SwitchKind& aggregator_kind();

}  // namespace fredsim
