// SPDX-License-Identifier: Apache-2.0
// A decoded row of the phase store of a fred_switch: its flows, and the function of its µSwitch
// bits (rtl/fred/fred_network.sv has the wiring).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "routing/fred_routing.h"
#include "switch/phased/phased_row.h"
#include "switch/phased/phased_shape.h"

namespace fredsim {

// Decodes `words`, row_words of the store. A row contradicts its flows if an output gets anything
// but the sum of its flow, or if a flow is on wires unknown to online unicasts
// (rtl/fred/fred_paths.sv).
PhasedRow decode_row(const FredSwitchShape& shape, std::span<const std::uint32_t> words);

// PhasedNetwork::carry: flits meet according to fred_r_uswitch.sv and fred_port_mux.sv, on the
// paths of fred_online_paths.sv.
std::vector<PhasedCarried> carry(const FredSwitchShape& shape, const PhasedRow& row,
                                 std::uint32_t inputs, std::uint32_t outputs,
                                 std::span<const PhasedUnicast> unicasts);

}  // namespace fredsim
