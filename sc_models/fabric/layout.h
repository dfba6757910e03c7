// From a topology to the layout that results carry (observe/layout.h).
#pragma once

#include "observe/layout.h"
#include "topology/topology.h"

namespace fredsim {

// Nodes in the topology's order.
Layout layout_of(const Topology& topology);

}  // namespace fredsim
