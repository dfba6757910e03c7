// SPDX-License-Identifier: Apache-2.0
// The kind astra_sim.
#pragma once

#include "topology/topology_kind.h"

namespace fredsim {

const TopologyKind& astra_sim_kind();

}  // namespace fredsim
