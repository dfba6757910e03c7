// SPDX-License-Identifier: Apache-2.0
// Process groups of a job's profiles: their ranks, and their names in traces.
//
// Errors: BadInput with file and group: a rank outside of the job; a group without the rank whose
//   profile it is.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "profile/convert.h"

namespace fredsim {

// Calls of one rank with the ranks of their groups.
struct RankCalls {
  std::vector<CollectiveCall> calls;
  std::map<std::string, std::vector<int>> groups;
};

// Ranks of a call's group; all of the job where nothing tells them.
std::vector<int> group_of(const CollectiveCall& call, const RankCalls& rank, int world);
// `rank` is a rank of the group, all are ranks of the job; splits of the node are as many.
void check_group(const ConvertedRank& rank, const TraceNode& node, const std::string& group,
                 const std::vector<int>& ranks, int world);
// Gives nodes the names of their groups, and the job its groups.
void name_groups(ConvertedProfiles& converted, const std::vector<RankCalls>& calls);

}  // namespace fredsim
