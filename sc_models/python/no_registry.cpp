// SPDX-License-Identifier: Apache-2.0
// No Verilated classes are in the extension: it stands in for the registry of the program
// (switch/switch_registry.h).
#include "switch/switch_registry.h"

namespace fredsim {

std::span<const RegisteredSwitch> built_in_switches() { return {}; }

}  // namespace fredsim
