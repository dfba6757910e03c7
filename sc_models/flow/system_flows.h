// SPDX-License-Identifier: Apache-2.0
// Plans of systems (collective/system_plan.h) as flows over time: when their collectives begin and end, and the traffic of every link.
//
// A step begins once those that it comes after are complete, as a part does (flow/flow_run.h). Groups of a dimension that do the same are
// one: what happens in the first of them happens in all. Where some groups take part in more than others, each is by itself.
// A step whose trees cross more than kMaxTreeUses links moves as one flow, all of its trees in proportion, at the rate that its busiest link
// leaves it.
// Units: cycles, with fractions.
// Errors: RunFailed, FlowSimulation's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "collective/system_plan.h"
#include "flow/flow_run.h"
#include "flow/flow_traffic.h"
#include "topology/topology.h"

namespace fredsim {

inline constexpr std::size_t kMaxTreeUses = 4096;

struct SystemTimes {
  std::vector<FlowTimes::Part> collectives{};  // SystemPlan::collectives
  double end = 0;                              // cycle of the last one
  std::uint64_t flows = 0, updates = 0;
};

// `surplus`: cycles by which each step takes longer than its flows (flow/calibration.h); empty: none.
SystemTimes run_system_flows(const Topology& system, const SystemPlan& plan,
                             std::span<const double> surplus = {});

// By link and node of the system.
FlowTraffic system_traffic(const Topology& system, const SystemPlan& plan);

}  // namespace fredsim
