// SPDX-License-Identifier: Apache-2.0
// Limits of flit-level simulation.
#pragma once

#include <string>

#include "topology/topology.h"

namespace fredsim {

// Why it cannot (Topology::flow_only): a switch or NPU with more than kMaxPorts ports, more
// endpoints than a switch's table for unicasts has room for. Empty: it can.
std::string flow_only_reason(const Topology& topology);

}  // namespace fredsim
