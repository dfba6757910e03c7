// SPDX-License-Identifier: Apache-2.0
// Load of a plan on every link, found by walking its trees (plan/link_walk.h). Analytic, not
// simulated.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/plan.h"

namespace fredsim {

// Time in which a link sends `flits` flits without a gap, including the overhead of its protection
// where it retransmits.
double flits_ns(const Link& link, std::uint64_t flits);

// Flits that cross each link of topology.links in the whole run of a plan.
std::vector<std::uint64_t> link_flits(const Topology& topology, const Plan& plan);

// Sum of the flits over all links.
std::uint64_t flit_hops(const Topology& topology, const Plan& plan);

// Fills the bounds: Part::bound_ns is the time that the busiest link needs for the flits of the
// part alone, sent without a gap; Plan::bound_ns includes the flits of all parts and their start
// cycles. 0 if nothing is sent.
void set_bounds(const Topology& topology, Plan& plan);

// True where the plan has packets that FRED switches route online.
bool needs_online_routes(const Topology& topology, const Plan& plan);

}  // namespace fredsim
