// SPDX-License-Identifier: Apache-2.0
// Results of runs of `--engine flow`, whatever they run on.
#pragma once

#include <cstdint>

#include "flow/flow_traffic.h"
#include "results/results.h"
#include "topology/topology.h"

namespace fredsim {

// Cycles of a time of flows.
std::uint64_t flow_cycles(double cycles);
// All but traffic, parts, bounds and errors, of a run that ends at a time of flows.
void fill_flow_run(const Topology& topology, double end, RunResult& result);
// Traffic, after fill_flow_run().
void fill_flow_links(const Topology& topology, const FlowTraffic& traffic, RunResult& result);
// The result of flows that take as long as an exact run: its times, without what flits alone have. Its error is none, of itself.
RunResult flow_result_of(const Topology& topology, const FlowTraffic& traffic, RunResult exact);

}  // namespace fredsim
