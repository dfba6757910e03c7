// Where a Verilated mesh_reducing has its counters and the phase in use (switch/verilated_switch.h).
#pragma once

#include "switch/phased/phased_peek.h"

namespace fredsim {

PHASED_PEEK(MeshReducingPeek, mesh_reducing);

}  // namespace fredsim
