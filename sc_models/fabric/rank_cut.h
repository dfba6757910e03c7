// SPDX-License-Identifier: Apache-2.0
// Cut of a fabric for several processes (ranks), and the time of a cycle that is predicted for it.
//
// Cut: an endpoint is in the part of its switch (home_switch()); links with a policy (fabric/links/link_policy.h) do not
//   cross. Of what is left, bisections by METIS and a partition in order of node numbers make candidates, over all links and over those
//   alone that take some minimum of cycles, and the best by rank_forecast() is taken. The same on every process: seeds are fixed, and
//   nothing depends on time or addresses.
// Model: all ranks step their part for a look-ahead, then each sends one message to every neighbour and waits for theirs. A
//   window takes as long as the costliest part and the costliest exchange; each rank has a core of its own. What it leaves
//   out: packing of messages, waits by an uneven wall clock, caches that a smaller part fits into.
// Errors: BadInput where there cannot be so many parts.
#pragma once

#include <cstdint>
#include <vector>

#include "fabric/cut.h"
#include "fabric/node_costs.h"
#include "topology/topology.h"

namespace fredsim {

// Time of an exchange, each way at the same time, by shared memory of one machine (docs/user/ranks.md).
struct ExchangeCosts {
  double message_ns = 2600;
  double byte_ns = 0.06;
};

struct RankPart {
  int nodes = 0, switches = 0, npus = 0;
  double cost_ns = 0;           // per cycle
  int links_out = 0;            // that cross, from it
  std::vector<int> neighbours;  // ranks that it exchanges messages with, ascending
  // At most in a look-ahead: flits that leave it; and bytes, with a credit for each flit that may come.
  std::uint64_t flits_per_window = 0, bytes_per_window = 0;
};

struct RankForecast {
  std::vector<RankPart> parts;
  std::uint64_t look_ahead = 0;  // cycles; 0: no link crosses
  double max_cost_ns = 0;        // per cycle, of the costliest part
  double exchange_ns = 0;        // per cycle
  double imbalance = 0;          // costliest part over the mean, less 1
  double speedup = 0;            // over one process
  double cycle_ns() const { return max_cost_ns + exchange_ns; }
};

// Highest number of ranks, 1 or more.
int max_ranks(const Topology& topology);

// Every rank has a node at least. BadInput: `ranks` is not in 1 ... max_ranks().
Cut cut_for_ranks(const Topology& topology, const NodeCosts& costs, int ranks);

RankForecast rank_forecast(const Topology& topology, const Cut& cut, const NodeCosts& costs,
                           const ExchangeCosts& exchange = {});

}  // namespace fredsim
