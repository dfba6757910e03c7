// A row of the phase store of a fred_switch, decoded: its flows, and what its µSwitch bits do (rtl/fred/fred_network.sv
// has the wiring).
#pragma once

#include <cstdint>
#include <span>

#include "routing/fred_routing.h"
#include "switch/phased/phased_row.h"

namespace fredsim {

// `words`: row_words of the store.
PhasedRow decode_row(const FredSwitchShape& shape, std::span<const std::uint32_t> words);

}  // namespace fredsim
