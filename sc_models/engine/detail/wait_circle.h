// SPDX-License-Identifier: Apache-2.0
// Wait-for circle of a deadlock among packets in the switches: which input of which switch waits
// for which packet of which operation.
//
// A head-of-line packet at an input waits for the same packet at the other inputs of its flow, for
//   room behind an output, or for its phase. The cause is a head-of-line packet at another input,
//   or behind one: the search goes from input to input until one recurs.
// Read-only, between two edges. Switches without access to their head-of-line packets
//   (SwitchCore::peek_hol()), such as RTL, and unicasts routed online are never found in a
//   circle.
#pragma once

#include <span>
#include <string>

#include "engine/operation.h"
#include "fabric/fabric.h"

namespace fredsim {

// A line per input of the circle; empty: none was found. `operations`: open ones. All of several
// processes get the whole text.
std::string describe_circle(Fabric& fabric, std::span<const Operation* const> operations);

}  // namespace fredsim
