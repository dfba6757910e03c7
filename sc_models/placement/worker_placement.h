// SPDX-License-Identifier: Apache-2.0
// The NPU of every worker where the shape of the fabric counts (plan/parallelism.h has the
// placements that need none).
//
// snake: as the paper's, MP consecutive, then PP, then DP, but along a grid's rows there and back,
//   so that workers that follow each other are neighbours at the ends of rows too: groups of three
//   on rows of four have a path of their own. On trees, whose NPUs under a switch are all alike, it
//   is the paper's.
// auto: the placement on which the traffic of a workload is estimated to take the shortest time, of
//   paper, snake, and what a search finds (placement_search.h): "searched". Costs of the search are
//   those of a fast model; the best it finds are planned and estimated as `auto` does algorithms
//   (plan_time.h), in the switches by the bound (link_load.h). One that is less than 1 % better
//   than a simpler one is not taken. Failed NPUs are left out. On a system of dimensions
//   (topology/system.h) nothing is searched: it is the given one or paper, by which MP fills the
//   lowest dimensions, then PP, then DP; without a strategy identity.
// Errors: BadInput for a strategy of more workers than NPUs; as make_plan() for an algorithm that
//   the fabric has not.
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
  std::string name;       // "paper", "snake" or "searched"; that of a given one
  std::vector<int> npus;  // by worker
};

struct PlacementSearch {
  std::uint64_t seed = 1;
  OnConflict on_conflict = OnConflict::kRefuse;  // as the work will be planned
  bool at_once = false;  // all kinds of traffic share the links; else one comes after the other
  std::optional<WorkerPlacement>
      given{};  // one more to choose from, which is simpler than all others
};

// The groups of `traffic` are those of a strategy.
WorkerPlacement auto_placement(const Strategy& strategy, const Topology& topology,
                               std::span<const WorkerTraffic> traffic,
                               const PlacementSearch& search = {});
// For any number of workers: the placement that is given, or worker w on NPU w ("identity"), or
// "searched".
WorkerPlacement auto_placement(int workers, const Topology& topology,
                               std::span<const WorkerTraffic> traffic,
                               const PlacementSearch& search = {});

// Estimated time of the traffic, in ns. Infinite where groups cannot be routed together and are not
// to take turns.
double placement_ns(const Topology& topology, std::span<const WorkerTraffic> traffic,
                    const std::vector<int>& npus, const PlacementSearch& search = {});

}  // namespace fredsim
