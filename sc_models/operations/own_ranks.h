// SPDX-License-Identifier: Apache-2.0
// The share of a plan that one process of several needs to run it: of its endpoint trees, the ranks
// of its own members. Sizes, orders of additions and numbers of receivers are those of the whole
// plan.
//
// In-switch trees are kept whole: they are few. Equal slices (operations/equal_slices.h) are found
// by whole plans.
// Errors: none.
#pragma once

#include <functional>
#include <vector>

#include "plan/plan.h"

namespace fredsim {

// By part: members that receive something.
std::vector<int> receivers_of_parts(const Plan& plan);

// After all that compares or chooses trees.
void keep_own_ranks(Plan& plan, const std::function<bool(NodeId)>& is_own);

}  // namespace fredsim
