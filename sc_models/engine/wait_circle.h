// SPDX-License-Identifier: Apache-2.0
// The circle of a deadlock among packets in the switches: which input of which switch waits for which packet of which operation.
//
// A packet that is first at an input waits for the same packet at the other inputs of its flow, for room behind an output, or for its phase.
//   What it waits for is first at another input, or behind what is: from input to input, until one comes again.
// Read-only, between two edges. Switches that cannot tell what is first at their inputs (SwitchCore::peek_front()), as in RTL, and
//   unicasts routed online are in no circle that is found.
#pragma once

#include <span>
#include <string>

#include "engine/operation.h"
#include "fabric/fabric.h"

namespace fredsim {

// A line per input of the circle; empty: none was found. `operations`: open ones. Of several processes all have the whole text.
std::string describe_circle(Fabric& fabric, std::span<const Operation* const> operations);

}  // namespace fredsim
