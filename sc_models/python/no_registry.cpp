// SPDX-License-Identifier: Apache-2.0
// Empty registry in place of the program's (switch/switch_registry.h): the extension has no
// Verilated classes.
#include "switch/switch_registry.h"

namespace fredsim {

std::span<const RegisteredSwitch> built_in_switches() { return {}; }

}  // namespace fredsim
