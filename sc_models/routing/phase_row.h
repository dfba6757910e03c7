// SPDX-License-Identifier: Apache-2.0
// Rows of a phase store in the form written into a switch. Layout: rtl/phased/phased_pkg.sv. Bits,
// least significant first: [0] valid, [2:1] vc, then for every input port, then for every output
// port, clog2(P+1) bits: 0 = no flow, f+1 = flow f; then the configuration of the switch's
// interconnect, whose layout its kind defines.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "routing/flows.h"

namespace fredsim {

std::vector<std::uint32_t> phase_row(int ports, int vc, std::span<const Flow> flows,
                                     const std::vector<bool>& configuration);
// The flows of a row, read back from its port fields.
std::vector<Flow> phase_flows(int ports, std::span<const std::uint32_t> row);

}  // namespace fredsim
