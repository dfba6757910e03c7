// SPDX-License-Identifier: Apache-2.0
// Statistics of several execution traces, of each and of all together, and their JSON.
//
// Over all: sums of nodes, dependencies and durations; types, communications, lanes and
//   distributions of all nodes. Critical path and exposed communication are of a trace alone.
// Errors: as trace_info().
#pragma once

#include <string>
#include <vector>

#include "results/origin.h"
#include "workload_files/trace_info.h"

namespace fredsim {

struct NamedTraceInfo {
  std::string path{};
  TraceInfo info{};
};

struct TraceFigures {
  std::vector<NamedTraceInfo> traces{};
  TraceInfo all{};
};
TraceFigures trace_figures(const std::vector<std::string>& paths);

std::string trace_figures_json(const Origin& origin, const TraceFigures& figures);

}  // namespace fredsim
