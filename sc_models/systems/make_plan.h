// SPDX-License-Identifier: Apache-2.0
// Plan of the requested collectives on any topology: the planner makes it on a fabric; on a system
// it is made dimension by dimension.
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

// Algorithms: "auto", "paper" and the names of collective/algorithm.h. Errors: BadInput where the
// topology or group does not support the algorithm, naming supported ones; GroupConflict.
Plan make_plan(const Topology& topology, std::span<const CollectiveSpec> work,
               OnConflict on_conflict = OnConflict::kRefuse);
Plan make_plan(const Topology& topology, Collective collective, const std::vector<int>& group,
               std::uint64_t bytes, const std::string& algorithm);

}  // namespace fredsim
