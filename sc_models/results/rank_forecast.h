// SPDX-License-Identifier: Apache-2.0
// Forecast of a run on several processes (ranks), without simulation: the parts of its machine and
// the time of a simulated cycle.
//
// Model: all ranks step their part for a look-ahead; then each sends one message to every neighbour
//   and waits for the messages from there. A window takes as long as the costliest part and the
//   costliest exchange; each rank has a core of its own. Not modelled: waits due to variation of
//   the wall clock, and caches that a smaller part fits into.
#pragma once

#include <cstdint>
#include <vector>

namespace fredsim {

// Time of an exchange, each way at the same time, by shared memory of one machine
// (docs/studies/processes.md).
struct ExchangeCosts {
  double message_ns = 2600;
  double flit_ns = 12;    // to put a flit into a message and take one out, with a credit each
  double byte_ns = 0.11;  // and for each byte of it, to copy and to send
};

struct RankPart {
  int nodes = 0, switches = 0, npus = 0;
  double cost_ns = 0;             // per cycle
  int links_out = 0;              // links to other parts
  std::vector<int> neighbours{};  // ranks with which it exchanges messages, ascending
  // Maximum per look-ahead: flits that leave the part; and bytes, with a credit for each flit that
  // may arrive.
  std::uint64_t flits_per_window = 0, bytes_per_window = 0;
};

struct RankForecast {
  std::vector<RankPart> parts{};
  std::uint64_t look_ahead = 0;  // cycles; 0: no link crosses
  double max_cost_ns = 0;        // per cycle, of the costliest part
  double exchange_ns = 0;        // per cycle
  double imbalance = 0;          // costliest part over the mean, less 1
  double speedup = 0;            // over one process
  double cycle_ns() const { return max_cost_ns + exchange_ns; }
};

}  // namespace fredsim
