// SPDX-License-Identifier: Apache-2.0
// Estimated time of collectives in the switches. Analytic, not simulated.
//
// A part by itself: formulas with constants that were measured. A plan: the latency between members
// and the busiest link.
#pragma once

#include "plan/collective_spec.h"
#include "plan/link_walk.h"
#include "plan/plan.h"

namespace fredsim {

// Cycles of a part that has its members, two or more.
double in_switch_cycles(const Topology& topology, const LinkWalk& walk, const CollectiveSpec& spec,
                        const Part& part);
// Cycles of a plan that runs in the switches of a FRED tree alone.
double in_switch_cycles(const Topology& topology, const Plan& plan);

}  // namespace fredsim
