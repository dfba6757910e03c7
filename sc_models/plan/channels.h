// SPDX-License-Identifier: Apache-2.0
// Virtual channels that the endpoint trees of a part may be spread over.
//
// A part's own is that of its priority. A data channel that is no part's priority goes to the parts
//   of the next lower priority in use, else to those of the next higher one: so whatever a part
//   sends ranks above all that parts of lower priority send, as it does on one channel each.
#pragma once

#include <vector>

#include "plan/plan.h"

namespace fredsim {

// Highest first, one at least. The VCs of all parts of the plan are known.
std::vector<int> channels_of(const Topology& topology, const Plan& plan, int part);

}  // namespace fredsim
