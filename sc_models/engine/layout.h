// SPDX-License-Identifier: Apache-2.0
// From a topology to the layout that results carry (results/layout.h).
#pragma once

#include "results/layout.h"
#include "topology/topology.h"

namespace fredsim {

// Nodes in the topology's order.
Layout layout_of(const Topology& topology);

}  // namespace fredsim
