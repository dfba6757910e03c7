// SPDX-License-Identifier: Apache-2.0
// Begins of the nodes of a rank's trace: as recorded, or as early as dependencies allow.
//
// Units: picoseconds. A trace is recorded if any of its nodes has a begin.
// Earliest: each node begins when the last of its dependencies has ended, from 0 on, however
//   many run at a time.
// Errors: BadInput, naming file and node: a dependency on a node that is not there; a circle.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workload_files/trace_node.h"

namespace fredsim {

// Index: node.
std::vector<std::uint64_t> earliest_begins(const std::string& path,
                                           const std::vector<TraceNode>& nodes);

struct TraceBegins {
  bool is_recorded = false;
  std::vector<std::uint64_t> ps{};  // by node
};
TraceBegins trace_begins(const std::string& path, const std::vector<TraceNode>& nodes);

// Least begin of a node with a duration; 0: there is none.
std::uint64_t first_begin(const std::vector<TraceNode>& nodes, const TraceBegins& begins);

}  // namespace fredsim
