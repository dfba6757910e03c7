// SPDX-License-Identifier: Apache-2.0
// A plan as flows over time (flow/flow_plan.h, flow/flow_simulation.h): start and end of its parts.
//
// A part begins at its start time, after its predecessors are complete; all of its trees begin
// together. It is complete when each of its trees has moved and filled its longest path, and its
// offset has passed. Phases take turns in switches (flow/phase_turns.h). Not modelled: buffers,
// credits, windows, arbitration.
// Units: cycles, with fractions.
// Errors: RunFailed, FlowSimulation's.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "flow/flow_lifts.h"
#include "plan/plan.h"
#include "topology/topology.h"

namespace fredsim {

struct FlowTimes {
  struct Part {
    double start = 0, end = 0;
  };
  std::vector<Part> parts{};
  double end = 0;  // cycle of the last part
  std::uint64_t flows = 0, updates = 0;
};

// `offset`: cycles by which each part takes longer than its flows (flow/calibration.h); empty:
// none.
FlowTimes run_flows(const Topology& topology, const Plan& plan, std::span<const double> offset = {},
                    const FlowLifts& lifts = {});

}  // namespace fredsim
