// SPDX-License-Identifier: Apache-2.0
// Order of a profile's nodes, and the dependencies that they keep.
#pragma once

#include <string>

#include "profile/profiled_nodes.h"

namespace fredsim {

// Puts dependencies first, otherwise by begin. Errors: BadInput with `path`: circular dependencies.
void sort_nodes(ProfileGraph& graph, const std::string& path);
// Fills `node.id` and `node.after`: leaves out what another dependency implies (transitive
// reduction). The nodes are sorted.
void reduce_dependencies(ProfileGraph& graph);

}  // namespace fredsim
