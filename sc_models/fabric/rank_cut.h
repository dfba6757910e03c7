// SPDX-License-Identifier: Apache-2.0
// Cut of a fabric for several processes (ranks), and the prediction of the time of a cycle with it
// (results/rank_forecast.h).
//
// Cut: an endpoint is in the part of its switch (home_switch()); links with a policy
//   (links/link_policy.h) do not cross. Candidates for the remaining graph are bisections by METIS
//   and a partition in the order of node numbers, over all links and over the links of at least
//   some latency only; the best by rank_forecast() is taken. It is the same on every process: seeds
//   are fixed, and nothing depends on time or addresses.
// Errors: BadInput if there cannot be so many parts.
#pragma once

#include "fabric/cut.h"
#include "fabric/node_costs.h"
#include "results/rank_forecast.h"
#include "topology/topology.h"

namespace fredsim {

// Maximum number of ranks, 1 or more.
int max_ranks(const Topology& topology);

// Gives every rank at least one node. BadInput if `ranks` is not in 1 ... max_ranks().
Cut cut_for_ranks(const Topology& topology, const NodeCosts& costs, int ranks);

RankForecast rank_forecast(const Topology& topology, const Cut& cut, const NodeCosts& costs,
                           const ExchangeCosts& exchange = {});

}  // namespace fredsim
