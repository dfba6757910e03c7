// A topology as text for people: what `fredsim info` prints.
//
// Bandwidths in GB/s or TB/s of ten, per direction; rates in flits per cycle as exact fractions;
// latencies in cycles and ns; buffers in bytes and flits. All of it follows from the topology,
// nothing is simulated. Never throws.
#pragma once

#include <string>

#include "topology/topology.h"

namespace fredsim {

std::string describe(const Topology& topology);

}  // namespace fredsim
