// SPDX-License-Identifier: Apache-2.0
// Cut of a fabric over the processes of a run, and within each of them.
//
// Errors: as cut_for_ranks() (fabric/rank_cut.h); BadInput if the processes have read
// different fabrics.
#pragma once

#include "fabric/cut.h"
#include "fabric/node_costs.h"
#include "fabric/rank_links.h"
#include "ranks/ranks.h"
#include "topology/topology.h"

namespace fredsim {

struct RankedCut {
  Cut cut{};
  RankShare share{};
};

// Cut `within` alone for null ranks. Otherwise every process has its part of `by_rank`, cut by
// `within`; empty: one partition each.
RankedCut cut_over(Ranks* ranks, const Cut& by_rank, const Cut& within);

// Parts of the processes, by node; empty for one process. All processes call this alike: they
// compare their inputs, including files that the command line does not name.
Cut cut_by_rank(const Topology& topology, const NodeCosts& costs, Ranks* ranks);

}  // namespace fredsim
