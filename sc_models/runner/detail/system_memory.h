// SPDX-License-Identifier: Apache-2.0
// Memory that runs of `--engine flow` on a system take (runner/detail/system_calibration.h), before
// they are planned: machines of the exact runs by which its steps are calibrated, and what is found
// of each of its links, for all sizes of a command. The system itself is there already.
//
// Within a factor of two of what the systems that ship take, 40 to 700 MB.
#pragma once

#include <cstddef>

#include "systems/system_plan_size.h"
#include "topology/topology.h"

namespace fredsim {

// Nodes of all machines that a run on a topology makes: its own, or those of a system's exact runs.
std::size_t simulated_nodes(const Topology& topology, bool is_flow);

// Memory for one size. `writes_json`: its results are written at the end, and as text before that.
PlanSize flow_system_size(const Topology& system, bool writes_json);

}  // namespace fredsim
