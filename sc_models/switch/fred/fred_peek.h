// Where a Verilated fred_switch has its counters and the phase in use (switch/verilated_switch.h).
#pragma once

#include "switch/phased/phased_peek.h"

namespace fredsim {

PHASED_PEEK(FredPeek, fred_switch);

}  // namespace fredsim
