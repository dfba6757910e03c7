// SPDX-License-Identifier: Apache-2.0
// Export of a task graph as Chakra execution traces; trace_graph() reads them back to the same
// cycles.
//
// Ranks: NPU r is rank r, I/O controllers come after all NPUs; there are as many as the last one
//   that has something to do. NPUs without work have traces without nodes.
// Nodes: a COMP_NODE per computation, a MEM_LOAD_NODE or MEM_STORE_NODE per load or store, its
//   bytes in `tensor_size`; the times of these exact in `duration_ps`; a COMM_COLL_NODE per
//   communication, as other tools read it (a multicast is a BROADCAST), and with its operation's
//   shape as we do (workload_files/trace_shapes.h). Where computations run in order each waits for
//   the one before it.
// Groups: by number, in the order of the shapes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "topology/topology.h"
#include "workload/task_graph.h"

namespace fredsim {

struct TraceTexts {
  std::vector<std::string> ranks;  // files
  std::string groups;              // the file of groups
  std::string manifest{};          // ranks of each file (rank_manifest.h); empty: one each
  bool operator==(const TraceTexts&) const = default;
};

std::size_t trace_ranks(const TaskGraph& graph, const Topology& topology);
TraceTexts trace_texts(const TaskGraph& graph, const Topology& topology);

}  // namespace fredsim
