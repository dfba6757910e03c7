// SPDX-License-Identifier: Apache-2.0
// Roles of a job's ranks, and families of its groups.
//
// Roles are found by refinement: ranks differ that compute differently (recorded ones do; up to 64
//   roles), communicate differently, or with ranks that differ.
// Family: disjoint groups with equal numbers of ranks of each role, at equal distances.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "synthesis/trace_model.h"
#include "workload_files/comm_groups.h"
#include "workload_files/trace_shapes.h"

namespace fredsim {

struct LayoutOfJob {
  TraceLayout layout{};
  std::vector<std::vector<int>> members{};      // ranks by role, ascending
  std::vector<int> place{};                     // of a rank in its role
  std::map<std::vector<int>, int> family_of{};  // by the ranks of a group
};

using JobNodes = std::vector<std::vector<TraceNode>>;  // by rank, none without nodes

// `groups`: numbered as in `nodes`. No group: all ranks. Groups that shapes name count as used.
LayoutOfJob layout_of(const JobNodes& nodes, const CommGroups& groups,
                      const TraceShapes& shapes = {});
// Ranks of a node's group.
std::vector<int> ranks_of_group(const TraceNode& node, const CommGroups& groups, int ranks);

}  // namespace fredsim
