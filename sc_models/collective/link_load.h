// What a plan puts on every link, by walking it: packets between endpoints along X-Y paths, packets
// into switches along the flows of the rows that the plan programs. Analytic, not simulated.
//
// A mesh router hands a flit to its NPU by the local port that faces the link it came by.
#pragma once

#include <cstdint>
#include <vector>

#include "collective/plan.h"

namespace fredsim {

// Flits that cross each link of topology.links in the whole run of a plan.
std::vector<std::uint64_t> link_flits(const Topology& topology, const Plan& plan);

// Lower bound on the time: the busiest link sends its flits without a gap. 0 where nothing is sent.
double busiest_link_ns(const Topology& topology, const Plan& plan);

}  // namespace fredsim
