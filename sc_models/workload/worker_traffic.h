// SPDX-License-Identifier: Apache-2.0
// Traffic of a task graph between workers, as placements are weighed by
// (placement/placement_load.h).
//
// Groups that are under way together: those of an operation and, beside it, the same of other
//   stages. Each such set counts as often as a stage repeats it; sizes within a factor of two are
//   put together, at their mean.
#pragma once

#include <vector>

#include "placement/placement_load.h"
#include "workload/task_graph.h"

namespace fredsim {

// `npus`: by worker, as the graph was made with. In the order in which the graph has them.
std::vector<WorkerTraffic> worker_traffic(const TaskGraph& graph, const std::vector<int>& npus);

}  // namespace fredsim
