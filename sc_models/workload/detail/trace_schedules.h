// SPDX-License-Identifier: Apache-2.0
// Traces that do a collective by sends, receives and computations, in place of an algorithm
// (TraceRules::schedules).
//
// Files: PREFIX.0.et, PREFIX.1.et, …, one per place in the group; ranks in them are places there.
//   Their sizes hold, whatever the size of the collective.
// Memory: all nodes of a schedule, which one collective after another uses.
// Errors: BadInput, naming file and node: errors of check_traces(); a node that is no send, receive
//   or computation; a group with another number of ranks.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "plan/collective.h"
#include "workload_files/trace_node.h"

namespace fredsim {

class TraceSchedules {
 public:
  // `paths`: files of the traces that have the collectives, by rank; outlive it. `prefixes`: by
  // collective.
  TraceSchedules(const std::vector<std::string>& paths,
                 const std::map<Collective, std::string>& prefixes);

  bool has(const TraceNode& node) const { return prefix_of(node) != nullptr; }
  // Nodes of a rank of a group, each after its dependencies; their peers are ranks of the traces.
  std::vector<TraceNode> steps(const TraceNode& node, int rank, const std::vector<int>& group);

 private:
  using Steps = std::vector<TraceNode>;

  const std::string* prefix_of(const TraceNode& node) const;
  const std::vector<Steps>& schedule(const std::string& prefix);

  const std::vector<std::string>& paths_;
  std::map<Collective, std::string> prefixes_;
  std::map<std::string, std::vector<Steps>> read_;  // by prefix and place
};

}  // namespace fredsim
