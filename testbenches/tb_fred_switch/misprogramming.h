// SPDX-License-Identifier: Apache-2.0
// Packets that keep the contract of a switch, while invalid rows of its phase store are written:
// routes with single bits changed, random words, rows of other phases; and credits. In mid-traffic,
// also to rows in use.
//
// The result is always defined (rtl/phased/phased_switch.sv): implementations agree on it, and no
//   assertion fails.
#pragma once

#include <cstdint>
#include <span>

#include "base/random.h"
#include "phase.h"
#include "switch/switch_core.h"
#include "tested_switch.h"

namespace fredsim::tb {

// From the state that the core is in, with the rows of the phases in its store, in that order; it
// takes for granted that its input buffers are empty and no packet has begun. Returns the cycles.
std::uint64_t misprogram(SwitchCore& core, const TestedSwitch& shape, std::span<const Phase> phases,
                         Random& random);

}  // namespace fredsim::tb
