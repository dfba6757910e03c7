// SPDX-License-Identifier: Apache-2.0
// Wafer links that find errors and send flits again (links/retransmission/reliable_link.h), and the errors on their wires. Links on a die
// have none.
#pragma once

#include <cstdint>

#include "topology/topology.h"

namespace fredsim {

struct LinkErrors {
  double bit_error_rate = 0;  // wrong bits per bit, those of bursts too (bit_errors.h)
  int burst_bits = 1;         // the first bit of an error is wrong, the others of so many by chance
  double flit_loss = 0;       // share of the flits on the wire that never arrive
  std::uint64_t seed = 1;
  int max_retransmissions = 1000;  // max per flit; a link on which one more is due is dead
  bool any() const { return bit_error_rate > 0 || flit_loss > 0; }
};

// Gives its wafer links both ends of such links; their rates stay as they are.
void retransmit(Topology& topology, const LinkErrors& errors);

}  // namespace fredsim
