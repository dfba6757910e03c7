// SPDX-License-Identifier: Apache-2.0
// Trees of an all-reduce over paths of a concurrent flow (collective/detail/detour_flow.h): sums go
// to a root, and results back over the same hops.
//
// Tree: a spanning tree over the members, with one path for each of its edges. It carries as many
//   flits as the path with the fewest flits left. The paths of a tree are disjoint if possible;
//   otherwise the tree consists of all their hops, and the NPU where paths meet adds.
// Root: the NPU of the tree with the smallest depth below it. Among NPUs of equal depth a member is
//   preferred, and members take turns. If two members are joined by a long path, an NPU in its
//   middle is thus the root and adds their operands, so that sums and results together cross no
//   more hops than the path has.
#pragma once

#include <utility>
#include <vector>

#include "collective/detail/detour_flow.h"

namespace fredsim {

struct DetourTree {
  int root = 0;                             // ranks of the graph
  std::vector<std::pair<int, int>> hops{};  // (above, below), from the root outwards
  double flits = 0;
};

std::vector<DetourTree> detour_trees(const DetourGroup& group, const DetourGroupFlow& flow);

}  // namespace fredsim
