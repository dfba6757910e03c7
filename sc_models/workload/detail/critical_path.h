// SPDX-License-Identifier: Apache-2.0
// Critical path of a run: where its time went, from the end back to the beginning.
//
// The last task to be complete, before it the one whose end let that begin, and so on: each has its
//   time from its begin to its end, on whatever rank it is, and all of it belongs to the task's
//   category. It says what an iteration would be shorter by, not how long NPUs stand still: a
//   communication on the path may go on while its NPUs compute, and waiting for another stage of a
//   pipeline is the computing of that stage. How long they stand still says rank_time.h.
// Units: cycles. Sum: the cycles of the run.
// Errors: RunFailed where it does not add up, or tasks do not follow each other without a gap.
#pragma once

#include "workload/graph_run.h"
#include "workload/task_graph.h"

namespace fredsim {

TimeBreakdown critical_path(const TaskGraph& graph, const GraphOutcome& outcome);

}  // namespace fredsim
