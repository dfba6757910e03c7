// SPDX-License-Identifier: Apache-2.0
// Timeline of a run of a task graph (results/timeline.h): computations and operations of each rank.
//
// Tracks of a rank: "NODE compute", and one per category of its communications, "NODE mp"; where
//   several of a category go on at a time "NODE dp 2" and so on. Spans of communications begin with
//   the operation, as its last rank has come (workload/graph_run.h).
// Arguments: the iteration; of traces the rank and the id of the node, too.
// Arrows: of an operation, from rank to rank in the order of its group, the sender of a message
//   before its receiver.
// Source: the records of the run, so skipped and replayed cycles are included, and nothing is
//   simulated for the timeline.
#pragma once

#include <string>

#include "results/timeline.h"
#include "topology/topology.h"
#include "workload/graph_run.h"

namespace fredsim {

// `machine`: name of the process. `all`, `cycles`: of the run.
void show_on_timeline(const std::string& machine, const Topology& topology, const TaskGraph& graph,
                      const TaskRecords& all, std::uint64_t cycles, Timeline& timeline);

}  // namespace fredsim
