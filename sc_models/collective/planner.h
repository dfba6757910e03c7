// SPDX-License-Identifier: Apache-2.0
// Planner: makes a plan of the requested collectives on a fabric without blocks;
// systems/make_plan.h accepts any topology.
#pragma once

#include <span>

#include "plan/collective_spec.h"
#include "plan/group_conflict.h"
#include "plan/plan.h"
#include "topology/topology.h"

namespace fredsim {

// Algorithms: "auto", "paper" and the names of collective/algorithm.h. Errors: BadInput where the
// fabric or group does not support the algorithm, naming supported ones; GroupConflict.
Plan plan_on_fabric(const Topology& topology, std::span<const CollectiveSpec> work,
                    OnConflict on_conflict = OnConflict::kRefuse);

// Collective of a part, as a spec for planning it alone with the part's algorithm.
CollectiveSpec spec_of_part(const Topology& topology, const Part& part);

}  // namespace fredsim
