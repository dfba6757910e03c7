// SPDX-License-Identifier: Apache-2.0
// Members of groups as --group and work files name them: NPUs (workers), I/O controllers, and all
// of these.
#pragma once

#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "topology/topology.h"

namespace fredsim {

// Beside those of base/member.h, what is known with the machine at hand.
inline constexpr int kAllNpus = std::numeric_limits<int>::min();  // "all", with others beside it
inline constexpr int kAllIo = kAllNpus + 1;                       // "io:all": all I/O controllers
inline constexpr int kEachIo = kAllNpus + 2;  // "io:each": as many groups, with one of them each

// One or more members: "3", "0-3", "io2", "io0-3", "all", "io:all" or "io:each"; none: something
// else.
std::optional<std::vector<int>> parse_members(std::string_view text);

// Members of a group on a machine; several groups with io:each. `npus`: of the workers, which
// members are if `placed_workers`. Errors: BadInput for io:all and io:each where there are no I/O
// controllers, and for workers that are not placed.
std::vector<std::vector<int>> groups_on(const Topology& topology, const std::vector<int>& group,
                                        const std::vector<int>& npus, bool placed_workers);

bool has_all_npus(const std::vector<int>& group);           // "all", by itself or beside others
bool names_all_controllers(const std::vector<int>& group);  // io:all or io:each

}  // namespace fredsim
