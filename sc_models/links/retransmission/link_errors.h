// SPDX-License-Identifier: Apache-2.0
// Bit-error model of wafer links with retransmission.
#pragma once

#include <cstdint>

namespace fredsim {

struct LinkErrors {
  double bit_error_rate = 0;  // wrong bits per bit, those of bursts too (bit_errors.h)
  int burst_bits = 1;         // the first bit of an error is wrong, the others of so many by chance
  double flit_loss = 0;       // share of the flits on the wire that never arrive
  std::uint64_t seed = 1;
  int max_retransmissions = 1000;  // max per flit; a link on which one more is due is dead
  bool any() const { return bit_error_rate > 0 || flit_loss > 0; }
};

}  // namespace fredsim
