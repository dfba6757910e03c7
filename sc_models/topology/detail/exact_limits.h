// SPDX-License-Identifier: Apache-2.0
// Limits of flit-level simulation.
#pragma once

#include <string>

#include "topology/topology.h"

namespace fredsim {

// Reason why the machine runs as flows only (Topology::flow_only): a switch or NPU with more than
// kMaxPorts ports, or more endpoints than the unicast table of a switch has room for. Empty: it can
// run exactly.
std::string flow_only_reason(const Topology& topology);

}  // namespace fredsim
