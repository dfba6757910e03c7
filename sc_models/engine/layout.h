// SPDX-License-Identifier: Apache-2.0
// Layout of a topology for the results (results/layout.h).
#pragma once

#include "results/layout.h"
#include "topology/topology.h"

namespace fredsim {

// The nodes keep the topology's order.
Layout layout_of(const Topology& topology);

}  // namespace fredsim
