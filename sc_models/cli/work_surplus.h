// SPDX-License-Identifier: Apache-2.0
// Surplus of exact runs over flows of the operations of a work that are under way together: that of each alone (cli/shape_surplus.h), which
// knows nothing of how buffers and arbiters treat several, and what all of them together take longer.
//
// Works: such whose steps begin at cycles of their own, none after another, none repeated, none in the switches,
//   whose turns flows know (flow/phase_turns.h); two of them at least across one switch or NPU.
// Measurement: exact runs of the work at a half and a quarter of its size, delays in proportion, beside flows with the surplus of each
//   operation of that size alone. What a part is later by at the half it is twice at the whole. Works of more than kMaxShapeHops flits x
//   links, or of which a quarter is below kMinShapeBytes, have none.
// Error: of the time of the half, as told by the quarter.
// Errors: those of exact runs; Interrupted, while exact runs are under way.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "cli/shape_surplus.h"
#include "engine/machine.h"
#include "engine/work_run.h"
#include "topology/topology.h"

namespace fredsim {

// From an SC_THREAD. By batch; empty: it has none.
std::vector<OperationSurplus> work_surplus(const Topology& topology, Machine& machine,
                                           const WorkPlan& work, std::uint64_t seed,
                                           const std::atomic<bool>* stop,
                                           OperationSurpluses& alone);

}  // namespace fredsim
