// SPDX-License-Identifier: Apache-2.0
// Deadlock report of a task graph, for the error message: the operation at which each rank waits,
// the ranks that have not reached it, and a circular wait, operation by operation. For a trace with
// ranks, ids and names of nodes and process groups.
#pragma once

#include <functional>
#include <string>

#include "workload/task_graph.h"

namespace fredsim {

// `is_done`: of a rank and task, by their places. The text has a line per rank that has tasks left,
// 20 lines at most.
std::string waiting_text(const TaskGraph& graph, const std::function<bool(int, int)>& is_done);

}  // namespace fredsim
