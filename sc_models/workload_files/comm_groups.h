// SPDX-License-Identifier: Apache-2.0
// Groups of ranks by their names in traces (`pg_name`).
//
// A file is a JSON object: {"0": [0, 1, 2, 3], "1": [0, 2]}; a group's ranks in its own order.
// Errors: BadInput with file and group: no JSON, no object, no list of ranks, a rank that does not
//   exist or comes twice, an empty group.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace fredsim {

using CommGroups = std::map<std::string, std::vector<int>>;

CommGroups read_comm_groups(const std::string& path, int ranks);

}  // namespace fredsim
