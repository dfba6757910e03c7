// SPDX-License-Identifier: Apache-2.0
// Memory of `--engine flow` runs on a system (runner/detail/system_calibration.h), estimated before
// planning: machines of the exact runs that calibrate its steps, and per-link results for all sizes
// of a command. The system itself is allocated already.
//
// Within a factor of two of the measured memory of the systems that ship, 40 to 700 MB.
#pragma once

#include <cstddef>

#include "systems/system_plan_size.h"
#include "topology/topology.h"

namespace fredsim {

// Nodes of all machines created by a run on a topology: its own, or the exact runs' of a system.
std::size_t simulated_nodes(const Topology& topology, bool is_flow);

// Memory for one size. `writes_json`: results are written at the end, and held as text before.
PlanSize flow_system_size(const Topology& system, bool writes_json);

}  // namespace fredsim
