// SPDX-License-Identifier: Apache-2.0
// Traces that several ranks share: PREFIX.ranks.json beside PREFIX.0.et, PREFIX.1.et, ….
//
// A file is a JSON object: {"traces": ["PREFIX.0.et"], "ranks": [0, 0, 0, 0]}: files in its folder,
//   and for each rank the place of its file in that list.
// Groups: ranks that share a trace share the names of groups. A name is that of the one group
//   NAME@… in the file of groups that has the rank (workload/detail/trace_groups.h).
// Errors: BadInput with file and key: no JSON of this form, no ranks, more than 65 536, a place
//   that is not in the list, a name with a folder.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace fredsim {

std::string manifest_file(const std::string& prefix);  // "PREFIX.ranks.json"

struct RankManifest {
  std::vector<std::string> traces{};  // names of files
  std::vector<int> ranks{};           // by rank: place in `traces`
};

std::string manifest_text(const RankManifest& manifest);
// Paths by rank; none: there is no such file.
std::optional<std::vector<std::string>> manifest_paths(const std::string& prefix);

}  // namespace fredsim
