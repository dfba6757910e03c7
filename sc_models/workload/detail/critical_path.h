// SPDX-License-Identifier: Apache-2.0
// Critical path of a run: the chain of tasks from its end back to its beginning, and their time by
// category.
//
// The path has the last task to complete, before it the task whose end let it begin, and so on.
//   Each counts from its begin to its end, on any rank, in the category of the task. The path says
//   how much shorter an iteration could be, not how long NPUs are idle: a communication on the path
//   may go on while its NPUs compute, and waiting for another stage of a pipeline is the computing
//   of that stage. rank_time.h has the idle time.
// Units: cycles. Sum: the cycles of the run.
// Errors: RunFailed where the sum is wrong, or tasks do not follow each other without a gap.
#pragma once

#include "workload/graph_run.h"
#include "workload/task_graph.h"

namespace fredsim {

TimeBreakdown critical_path(const TaskGraph& graph, const GraphOutcome& outcome);

}  // namespace fredsim
