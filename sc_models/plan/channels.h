// SPDX-License-Identifier: Apache-2.0
// Virtual channels that the endpoint trees of a part may be spread over.
//
// A part always has the channel of its priority. A data channel that is no part's priority goes to
// the parts of the next lower priority in use, else to the parts of the next higher one. All
// traffic of a part therefore ranks above all traffic of parts of lower priority, as with one
// channel each.
#pragma once

#include <vector>

#include "plan/plan.h"

namespace fredsim {

// Channels of a part, highest first, at least one. The VCs of all parts of the plan must be known.
std::vector<int> channels_of(const Topology& topology, const Plan& plan, int part);

}  // namespace fredsim
