// SPDX-License-Identifier: Apache-2.0
// Critical path of a run: the chain of tasks from its end back to its beginning, and their time by
// category.
//
// The path has the last task to complete, before it the task whose end released it, and so on. Each
//   task counts from its begin to its end, on any rank, in its own category. The path shows how
//   much shorter an iteration could be, not how long NPUs are idle (rank_time.h): a communication
//   on the path may overlap with computation of its NPUs, and a wait for another pipeline stage
//   appears as the computation of that stage.
// Units: cycles. Sum: the cycles of the run.
// Errors: RunFailed if the sum is wrong, or if there is a gap between tasks.
#pragma once

#include "workload/graph_run.h"
#include "workload/task_graph.h"

namespace fredsim {

TimeBreakdown critical_path(const TaskGraph& graph, const GraphOutcome& outcome);

}  // namespace fredsim
