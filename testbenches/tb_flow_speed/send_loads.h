// SPDX-License-Identifier: Apache-2.0
// Collectives as single sends, each a flow of its own: as a simulator of messages has them, without
// plans.
//
// Units: amounts and rates without one; a link moves 1 per unit of time, or up to 10 % more where
//   rates differ.
#pragma once

#include <cstdint>

namespace fredsim {

struct SendCounts {
  std::uint64_t sends = 0;
  std::uint64_t updates = 0;  // rates
  double end = 0;             // time
};

// A ring all-reduce of `ranks`, 2 (ranks - 1) steps: a rank sends its next block once the one
// before has left, and the one from its neighbour has come. Each rank has a link to the next one.
SendCounts ring_sends(int ranks, bool rates_differ);

// An all-to-all of `hosts`, all sends at once. Each host has a link to the switch and one back;
// rates and amounts differ.
SendCounts all_to_all_sends(int hosts);

}  // namespace fredsim
