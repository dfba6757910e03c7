// SPDX-License-Identifier: Apache-2.0
// Process groups of the collectives of execution traces, as ranks of the traces (trace_graph.h says
// which group a node names).
//
// Errors: BadInput, naming file, node and field: a group that is not there or does not have the
//   rank; dimensions of another number than the machine's.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topology/topology.h"
#include "workload_files/comm_groups.h"
#include "workload_files/trace_node.h"

namespace fredsim {

class TraceGroups {
 public:
  // `paths`: a file per rank. All outlive it.
  TraceGroups(const std::vector<std::string>& paths, const CommGroups& groups,
              const Topology& topology);

  const std::vector<int>& all() const { return all_; }
  // The default process group. So is "0", as ASTRA-sim has it, where no file says what it is.
  bool is_of_all(const TraceNode& node) const;
  // Ranks of a rank's collective.
  std::vector<int> group_of(int rank, const TraceNode& node) const;

 private:
  std::vector<int> named(int rank, const TraceNode& node) const;
  std::vector<int> along_dimensions(int rank, const TraceNode& node) const;
  std::string place(int rank, const TraceNode& node, std::string_view field) const;

  const std::vector<std::string>& paths_;
  const CommGroups& groups_;
  const Topology& topology_;
  std::vector<int> dimensions_;  // NPUs along each
  std::vector<int> all_;
};

}  // namespace fredsim
