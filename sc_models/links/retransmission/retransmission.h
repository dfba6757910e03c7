// SPDX-License-Identifier: Apache-2.0
// Wafer links that detect errors and retransmit (links/retransmission/reliable_link.h), and the
// errors on their wires. Links on a die do not retransmit.
#pragma once

#include <cstdint>

#include "topology/topology.h"

namespace fredsim {

struct LinkErrors {
  double bit_error_rate = 0;  // wrong bits per bit, bursts included (bit_errors.h)
  int burst_bits = 1;         // length of an error: its first bit is wrong, each other one with
                              // probability 1/2
  double flit_loss = 0;       // share of the flits on the wire that never arrive
  std::uint64_t seed = 1;
  int max_retransmissions = 1000;  // max per flit; a link that needs one more is dead
  bool any() const { return bit_error_rate > 0 || flit_loss > 0; }
};

// Gives the wafer links of the topology both ends of such links; their rates stay as they are.
void retransmit(Topology& topology, const LinkErrors& errors);

}  // namespace fredsim
