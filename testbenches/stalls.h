// SPDX-License-Identifier: Apache-2.0
// Random stalls around a switch under test, and the buffers behind it.
#pragma once

namespace fredsim::tb {

struct Stalls {
  int gap_percent = 0;    // probability that a sender is idle in a cycle
  int pause_percent = 0;  // probability that a link takes nothing in a cycle
  int return_delay = 0;   // max cycles until a receiver returns a credit
  // Receivers' buffers per VC; kAsReset, where a driver knows it: the switch's reset values,
  // without register writes.
  int receive_depth = 48;
  static constexpr int kAsReset = -1;
};

}  // namespace fredsim::tb
