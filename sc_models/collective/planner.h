// SPDX-License-Identifier: Apache-2.0
// The planner: from the collectives that are asked for to a plan on a fabric without blocks;
// systems/make_plan.h takes any.
#pragma once

#include <span>

#include "plan/collective_spec.h"
#include "plan/group_conflict.h"
#include "plan/plan.h"
#include "topology/topology.h"

namespace fredsim {

// Algorithms: "auto", "paper" and those of collective/algorithm.h. BadInput where the fabric or
// group does not support the algorithm, naming what does; GroupConflict.
Plan plan_on_fabric(const Topology& topology, std::span<const CollectiveSpec> work,
                    OnConflict on_conflict = OnConflict::kRefuse);

// A part's collective, to be planned by itself by the part's algorithm.
CollectiveSpec spec_of_part(const Topology& topology, const Part& part);

}  // namespace fredsim
