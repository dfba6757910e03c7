// The NPU of every worker where the shape of the fabric counts (collective/parallelism.h has the placements that need none).
//
// snake: as the paper's, MP consecutive, then PP, then DP, but along a grid's rows there and back, so that workers that follow
//   each other are neighbours at the ends of rows too: groups of three on rows of four have a way of their own. On trees, whose
//   NPUs under a switch are all alike, it is the paper's.
// auto: the one of paper and snake on which all MP groups at once have the lower bound on their time (link_load.h), then all DP
//   groups, then PP: in this order, since MP groups talk in every layer, DP groups once. The paper's where that makes no
//   difference.
// Errors: BadInput for a strategy of more workers than NPUs; as make_plan() for an algorithm that the fabric has not.
#pragma once

#include <string>
#include <vector>

#include "collective/parallelism.h"
#include "topology/topology.h"

namespace fredsim {

std::vector<int> snake_placement(const Strategy& strategy, const Topology& topology);

struct WorkerPlacement {
  std::string name;       // "paper" or "snake"
  std::vector<int> npus;  // by worker
};

WorkerPlacement auto_placement(const Strategy& strategy, const Topology& topology,
                               const std::string& algorithm);

}  // namespace fredsim
