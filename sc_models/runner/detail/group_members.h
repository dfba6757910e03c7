// SPDX-License-Identifier: Apache-2.0
// Members of groups in --group and work files: NPUs (workers), I/O controllers, and all NPUs or
// controllers.
#pragma once

#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "topology/topology.h"

namespace fredsim {

// Members beyond base/member.h that are resolved once the machine is known.
inline constexpr int kAllNpus = std::numeric_limits<int>::min();  // "all", with other members
inline constexpr int kAllIo = kAllNpus + 1;                       // "io:all": all I/O controllers
inline constexpr int kEachIo = kAllNpus + 2;  // "io:each": one group per I/O controller

// Parses one or more members: "3", "0-3", "io2", "io0-3", "all", "io:all" or "io:each"; none:
// another text.
std::optional<std::vector<int>> parse_members(std::string_view text);

// Members of a group on a machine; several groups with io:each. `npus`: NPUs of the workers, if
//   members are `placed_workers`. Errors: BadInput for io:all and io:each on a machine without I/O
//   controllers, and for workers that are not placed.
std::vector<std::vector<int>> groups_on(const Topology& topology, const std::vector<int>& group,
                                        const std::vector<int>& npus, bool placed_workers);

bool has_all_npus(const std::vector<int>& group);           // "all", alone or with other members
bool names_all_controllers(const std::vector<int>& group);  // io:all or io:each

}  // namespace fredsim
