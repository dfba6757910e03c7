// SPDX-License-Identifier: Apache-2.0
// Planning of one part of a plan at the endpoints, by the requested algorithm
// (collective/algorithm.h) or, for `auto` and `paper`, by the paper's.
#pragma once

#include <vector>

#include "collective/detail/chains.h"
#include "plan/collective_spec.h"
#include "plan/plan.h"

namespace fredsim {

// Fills algorithm, window and trees of plan.parts[part], whose members are set (two or more). A
// chain, whose direction depends on all other parts, gets no trees yet: its description is appended
// to `chains`. Errors: BadInput for an algorithm that the group, fabric or collective does not
// support.
// Errors: BadInput for an algorithm that the group, fabric or collective does not have.
void plan_endpoint(const Topology& topology, const CollectiveSpec& spec, int part, Plan& plan,
                   std::vector<ChainSpec>& chains);

// Adds the trees that depend on all parts: of chains, and of algorithms that plan parts together.
// Trees stay sorted by part. All trees of the plan are then checked (collective/plan_check.h).
void plan_together(const Topology& topology, const std::vector<ChainSpec>& chains, Plan& plan);

}  // namespace fredsim
