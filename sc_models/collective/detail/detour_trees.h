// SPDX-License-Identifier: Apache-2.0
// Trees of an all-reduce over paths of a concurrent flow (collective/detail/detour_flow.h): sums go
// to a root, and results back over the same hops.
//
// A tree is a spanning tree over the members with a path for each of its pairs, for as many flits
//   as the shortest-lived of these paths has left. Paths of a tree share no NPU where there is a
//   choice; where there is none, the tree is one of all their hops, and the NPU in which they meet
//   adds.
// Root: the NPU of the tree that is nearest to the farthest member, a member where there is one, of
//   several each in turn. The two operands of a long path meet in its middle, which adds them: the
//   way there and back is no longer than the path.
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
