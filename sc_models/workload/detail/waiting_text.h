// SPDX-License-Identifier: Apache-2.0
// Tasks of a graph that did not come to its end, for the error message: at which operation each
// rank is, and who has not come to it; and where ranks wait for each other in a circle, that
// circle, operation by operation. Of a trace with ranks, ids and names of nodes and process groups.
#pragma once

#include <functional>
#include <string>

#include "workload/task_graph.h"

namespace fredsim {

// `is_done` of a rank and task, by their places; a line per rank that has tasks left, 20 of them.
std::string waiting_text(const TaskGraph& graph, const std::function<bool(int, int)>& is_done);

}  // namespace fredsim
