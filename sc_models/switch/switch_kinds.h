// SPDX-License-Identifier: Apache-2.0
// Built-in kinds, a list made from switch/kinds.cmake at configure time (switch_kinds.cpp.in), and
// the kinds that a program adds together with their RTL (verilator/switch_library.cmake).
#pragma once

#include <vector>

#include "switch/switch_kind.h"

namespace fredsim {

std::vector<const SwitchKind*> built_in_kinds();
std::vector<SwitchFacts> built_in_facts();  // facts from their kind.cmake

// add_switch_kind() of a kind whose constructor reads `facts`, its kind.cmake, by switch_facts().
void add_switch_kind(SwitchFacts facts, const SwitchKind& (*kind)());

}  // namespace fredsim
