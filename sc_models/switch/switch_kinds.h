// Our own kinds; the list is made from switch/kinds.cmake at configure time (switch_kinds.cpp.in).
#pragma once

#include <vector>

#include "switch/switch_kind.h"

namespace fredsim {

std::vector<const SwitchKind*> built_in_kinds();

}  // namespace fredsim
