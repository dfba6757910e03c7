// SPDX-License-Identifier: Apache-2.0
// A signal of a waveform file.
#pragma once

#include <string>

namespace fredsim {

// Name of a signal in a viewer: "l1_0.s0.fred_switch.i_control.vc_q", "[1:0]", 2. The range of a
// signal of one bit is empty.
struct WaveName {
  std::string path, range;
  int bits = 1;
};

}  // namespace fredsim
