// Where a Verilated aggregator has its counters and the phase in use (switch/verilated_switch.h).
#pragma once

#include "switch/phased/phased_peek.h"

namespace fredsim {

PHASED_PEEK(AggregatorPeek, aggregator);

}  // namespace fredsim
