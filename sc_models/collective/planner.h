// SPDX-License-Identifier: Apache-2.0
// The planner: from the collectives that are asked for to a plan on a fabric.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "collective/collective_spec.h"
#include "collective/group_conflict.h"
#include "collective/plan.h"
#include "topology/topology.h"

namespace fredsim {

// Algorithms: "auto", "paper" and those of collective/algorithm.h. BadInput where the fabric or group does not support the
// algorithm, naming what does; GroupConflict.
Plan make_plan(const Topology& topology, std::span<const CollectiveSpec> work,
               OnConflict on_conflict = OnConflict::kRefuse);
Plan make_plan(const Topology& topology, Collective collective, const std::vector<int>& group,
               std::uint64_t bytes, const std::string& algorithm);

// A part's collective, to be planned by itself by the part's algorithm.
CollectiveSpec spec_of_part(const Topology& topology, const Part& part);

}  // namespace fredsim
