// What the tasks of a graph that did not come to its end wait for, for the error message.
#pragma once

#include <functional>
#include <string>

#include "workload/task_graph.h"

namespace fredsim {

// `is_done` of a rank and task, by their places; one line per rank that has tasks left, kMost of them.
std::string waiting_text(const TaskGraph& graph, const std::function<bool(int, int)>& is_done);

}  // namespace fredsim
