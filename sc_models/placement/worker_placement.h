// SPDX-License-Identifier: Apache-2.0
// NPU of every worker for placements that depend on the shape of the fabric (plan/parallelism.h has
// the placements that do not).
//
// snake: the paper's order, MP consecutive, then PP, then DP, but along a grid's rows in
// alternating direction, so that consecutive workers are neighbours at the ends of rows too: groups
// of three on rows of four have a path of their own. On trees, where all NPUs below a switch are
// equal, it equals the paper's placement.
// auto: the placement with the shortest estimated time for a workload's traffic among paper, snake
// and the search's results (placement_search.h), named "searched". The search uses the costs of a
// fast model; its best placements are planned and estimated as `auto` does for algorithms
// (plan_time.h), in the switches by the bound (link_load.h). A placement that is less than 1 %
// better than a simpler one is not taken. Failed NPUs are left out. On a system of dimensions
// (topology/system.h) there is no search: auto takes the given placement or paper, in which MP
// fills the lowest dimensions, then PP, then DP; without a strategy it takes identity.
// Errors: BadInput for a strategy with more workers than NPUs; errors of make_plan() for an
// algorithm that the fabric does not support.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "placement/placement_load.h"
#include "plan/group_conflict.h"
#include "plan/parallelism.h"
#include "topology/topology.h"

namespace fredsim {

std::vector<int> snake_placement(const Strategy& strategy, const Topology& topology);

struct WorkerPlacement {
  std::string name;       // "paper", "snake", "searched", or the name of the given one
  std::vector<int> npus;  // by worker
};

struct PlacementSearch {
  std::uint64_t seed = 1;
  OnConflict on_conflict = OnConflict::kRefuse;  // option for planning the work
  bool at_once = false;  // all kinds of traffic share the links; else one after the other
  std::optional<WorkerPlacement>
      given{};  // additional candidate, preferred as simpler than all other candidates
};

// Placement for a strategy; the groups of `traffic` are the strategy's groups.
WorkerPlacement auto_placement(const Strategy& strategy, const Topology& topology,
                               std::span<const WorkerTraffic> traffic,
                               const PlacementSearch& search = {});
// Placement for any number of workers: the given one, or worker w on NPU w ("identity"), or
// "searched".
WorkerPlacement auto_placement(int workers, const Topology& topology,
                               std::span<const WorkerTraffic> traffic,
                               const PlacementSearch& search = {});

// Estimated time of the traffic, in ns. Infinite where groups cannot be routed together and may not
// take turns.
double placement_ns(const Topology& topology, std::span<const WorkerTraffic> traffic,
                    const std::vector<int>& npus, const PlacementSearch& search = {});

}  // namespace fredsim
