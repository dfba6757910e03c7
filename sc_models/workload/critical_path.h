// Where the time of a run went: along its critical path, from the end back to the beginning.
//
// The last task to be complete, before it the one whose end let that begin, and so on: each has its time from its
//   begin to its end, on whatever rank it is, and all of it belongs to the task's category. A communication's time is
//   thus that in which nothing on the path computed; what is overlapped is not on the path; waiting for another stage
//   of a pipeline is the computing of that stage.
// Units: cycles. Sum: the cycles of the run.
// Errors: RunFailed where it does not add up, or tasks do not follow each other without a gap.
#pragma once

#include <array>
#include <cstdint>

#include "workload/graph_run.h"
#include "workload/task_graph.h"

namespace fredsim {

using TimeBreakdown = std::array<std::uint64_t, kTimeCategories.size()>;  // by TimeCategory

TimeBreakdown critical_path(const TaskGraph& graph, const GraphOutcome& outcome);

}  // namespace fredsim
