// SPDX-License-Identifier: Apache-2.0
// Plan of the collectives that are asked for, on any topology: of a fabric by the planner, of a
// system dimension by dimension.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "plan/collective_spec.h"
#include "plan/group_conflict.h"
#include "plan/plan.h"
#include "topology/topology.h"

namespace fredsim {

// Algorithms: "auto", "paper" and those of collective/algorithm.h. BadInput where the topology or
// group does not support the algorithm, naming what does; GroupConflict.
Plan make_plan(const Topology& topology, std::span<const CollectiveSpec> work,
               OnConflict on_conflict = OnConflict::kRefuse);
Plan make_plan(const Topology& topology, Collective collective, const std::vector<int>& group,
               std::uint64_t bytes, const std::string& algorithm);

}  // namespace fredsim
