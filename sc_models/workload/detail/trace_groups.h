// SPDX-License-Identifier: Apache-2.0
// Resolution of process groups of trace collectives to ranks of the traces (trace_graph.h has the
// rules).
//
// Ranks that share a trace (workload_files/rank_manifest.h) share its names: NAME is the one group
//   NAME@… that has the rank, unless a group has that very name.
// Errors: BadInput, naming file, node and field: a group that is missing or lacks the rank; a
//   number of dimensions other than the machine's.
#pragma once

#include <map>
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
  // True if a node names the default process group; "0" names it too where no file defines "0" (as
  // in ASTRA-sim).
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
  // Group by the name before @ and by rank.
  std::map<std::string, std::map<int, const std::vector<int>*>> shared_;
};

}  // namespace fredsim
