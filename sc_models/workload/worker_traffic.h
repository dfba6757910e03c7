// SPDX-License-Identifier: Apache-2.0
// Traffic of a task graph between workers: the weights of a placement (placement/placement_load.h).
//
// Groups that are in flight together: the groups of an operation and the corresponding groups of
//   other stages. Each such set counts as often as a stage repeats it; sizes within a factor of two
//   are merged, at their mean.
#pragma once

#include <vector>

#include "placement/placement_load.h"
#include "workload/task_graph.h"

namespace fredsim {

// `npus`: by worker, the placement of the graph. Sets are in the order of the graph.
std::vector<WorkerTraffic> worker_traffic(const TaskGraph& graph, const std::vector<int>& npus);

}  // namespace fredsim
