// SPDX-License-Identifier: Apache-2.0
// Access to the counters and the phase in use of a Verilated aggregator
// (switch/verilated_switch.h).
#pragma once

#include "switch/phased/phased_peek.h"

namespace fredsim {

PHASED_PEEK(AggregatorPeek, aggregator);

}  // namespace fredsim
