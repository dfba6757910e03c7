// SPDX-License-Identifier: Apache-2.0
// Share of a plan that one process of several needs to run it: of its endpoint trees, only the
// ranks of its own members. Sizes, orders of additions and numbers of receivers describe the whole
// plan.
//
// In-switch trees are kept whole, since there are few. Equal slices (operations/equal_slices.h) are
// found from whole plans.
// Errors: none.
#pragma once

#include <functional>
#include <vector>

#include "plan/plan.h"

namespace fredsim {

// Number of receiving members, by part.
std::vector<int> receivers_of_parts(const Plan& plan);

// Drops the ranks of other processes; to be called after all code that compares or chooses trees.
void keep_own_ranks(Plan& plan, const std::function<bool(NodeId)>& is_own);

}  // namespace fredsim
