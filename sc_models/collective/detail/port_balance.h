// SPDX-License-Identifier: Apache-2.0
// Balance of unicasts over NIC ports on a FRED tree with failed components (topology/faults.h), so
// that all remaining ports share the load.
//
// A hop may take any slice that joins its two ends. Loads are the loads of all links on its path,
// for the whole plan, in-switch trees included, as transfer times at the links' rates. Hops move
// one after the other to the port that minimises the sum over the links of a high power of their
// loads, for several rounds, which lowers the load of the busiest links.
// Granularity: a hop is the flits of a tree. Planners cut data into more trees where there are few
// (slice_cuts()).
#pragma once

#include <cstdint>

#include "plan/plan.h"
#include "topology/topology.h"

namespace fredsim {

// Sets Send::port of all endpoint hops, except in trees of parts with Part::slice_weights. Call
// before acknowledgements and the order of packets are added, which depend on the ports. No effect
// on grids and on machines without failures.
void balance_ports(const Topology& topology, Plan& plan);

// Number of shares into which a rank's data is cut for the NIC ports: one per port on a machine
// without failures; else enough that a rank with few trees per share spreads them evenly, but none
// smaller than a packet. `flits`: flits of one such tree before the cut.
int slice_cuts(const Topology& topology, std::uint64_t trees, std::uint64_t flits);

}  // namespace fredsim
