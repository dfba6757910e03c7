// SPDX-License-Identifier: Apache-2.0
// The µSwitches of a configured Fred_m(P) one by one, read back from its configuration bits, for
// people to look at (`fredsim route`).
//
// Layout and codes: fred_routing.h. Order: that of the bits, so the blocks of a level's input side,
// its sub-networks, its output side.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "routing/fred_routing.h"

namespace fredsim {

enum class SwitchBlock : std::uint8_t {
  kR,      // R-µSwitch: adds, routes
  kDemux,  // one at the odd last input port
  kRd,     // RD-µSwitch, the base: adds, routes, distributes
  kD,      // D-µSwitch: routes, distributes
  kMux,    // one at the odd last output port
};

struct SwitchSetting {
  SwitchBlock block = SwitchBlock::kR;
  std::vector<int> path;   // sub-network indices from the outermost level to this block's
  int index = 0;           // number among the blocks of its kind there; 0 for demux and mux
  int first_bit = 0;       // index in FredRoute::bits
  int code_bits = 0;       // width of each code
  std::vector<int> codes;  // R, RD, D: of each output; demux, mux: one
  bool idle() const;       // true if all codes are 0
};

// Settings of all blocks, idle ones included; `bits` are fred_config_bits(shape) long.
std::vector<SwitchSetting> switch_settings(const FredSwitchShape& shape,
                                           const std::vector<bool>& bits);

std::string_view to_string(SwitchBlock block);  // "R-µSwitch", "demux", …
// Meaning of each code: "input 0", "sum", "sub-network 2", "nothing"; parallel to `codes`.
std::vector<std::string> in_words(const SwitchSetting& setting);
// Codes in binary, most significant bit first, with a blank between codes: "00 11" has code 3 for
// output 0.
std::string binary(const SwitchSetting& setting);

}  // namespace fredsim
