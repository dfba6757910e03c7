// SPDX-License-Identifier: Apache-2.0
// Interpreter of the µSwitch bits of Fred_m(P), written from the layout alone, for tests.
//
// Purpose: gives the value of each output port of a configured interconnect, as an expression over
//   the input ports, independent of the origin of the bits. Shapes: one postfix expression per port
//   (n >= 0 input port, kAdd), empty = nothing arrives. Errors: std::runtime_error if the bits are
//   an invalid configuration: an illegal code, a µSwitch output that selects or adds a silent
//   input, or an operand that is sent into a µSwitch and not used.
#pragma once

#include <cstdint>
#include <vector>

#include "routing/fred_routing.h"

namespace fredsim::test {

using Expression = std::vector<int>;

// Value of every output port when the input ports of `driven` carry their own number.
std::vector<Expression> interpret(const FredSwitchShape& shape, const std::vector<bool>& bits,
                                  std::uint32_t driven);

}  // namespace fredsim::test
