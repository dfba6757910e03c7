// SPDX-License-Identifier: Apache-2.0
// Phases for test_fred_online: sets of flows that have their paths.
#pragma once

#include <vector>

#include "base/random.h"
#include "crossing.h"
#include "switch/fred/fred_online_paths.h"

namespace tb {

// Up to `most` flows of one or more inputs and outputs each, that do not cross.
std::vector<FlowPath> random_phase(const fredsim::FredSwitchShape& shape, int max,
                                   fredsim::Random& random);

// Paths of the ports of the flows; other ports have a random one, which must not matter.
void port_paths(std::span<const FlowPath> flows, fredsim::Random& random, fredsim::FredPaths& in,
                fredsim::FredPaths& out);

}  // namespace tb
