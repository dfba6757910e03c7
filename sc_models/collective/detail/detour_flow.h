// SPDX-License-Identifier: Apache-2.0
// Concurrent flow of several groups of NPUs over the hops of a grid
// (collective/detail/hop_graph.h): the rates at which all groups together complete their
// all-reduces in the least time. NPUs outside the groups forward.
//
// Linear program: a group of k members has a weight for each of the k^(k-2) spanning trees over its
//   members. Each edge of a spanning tree is a flow of that weight between its two members, over
//   any paths of hops that pass no other member, with an equal flow back over the same links. The
//   load of a link is the sum of the flows on its hops. Objective: the minimum of the cycles of the
//   busiest link. If links are alike in both directions, different return paths or trees gain
//   nothing: the mean of such a plan and its reverse has the form above.
// Solver: simplex (GLPK). Among plans of equal time a plan with few hops is taken.
// Bound: minimum over all plans in which only members add and all other NPUs forward
//   (concurrent_flow().cycles).
// Cost: some ten milliseconds on 5 x 4.
// Errors: none. Groups must have 2 to kMaxDetourMembers members, connected by hops.
#pragma once

#include <utility>
#include <vector>

#include "collective/detail/hop_graph.h"

namespace fredsim {

inline constexpr int kMaxDetourMembers = 5;

struct DetourGroup {
  std::vector<int> members;  // ranks of the graph
  double flits = 0;          // length of its vector
};

// Flow between two members, there and back.
struct DetourPath {
  std::vector<int> ranks;  // ranks of the graph, the members at its ends
  double flits = 0;
};

struct DetourGroupFlow {
  struct WeightedTree {
    std::vector<std::pair<int, int>> pairs;  // places in `members`, the lower one first
    double flits = 0;
  };
  std::vector<WeightedTree> trees;             // trees with flits
  std::vector<std::vector<DetourPath>> paths;  // by pair: lower place * members + higher place
};

struct ConcurrentFlow {
  double cycles = 0;  // time for which the busiest link is busy
  std::vector<DetourGroupFlow> groups;
};

ConcurrentFlow concurrent_flow(const HopGraph& graph, const std::vector<DetourGroup>& groups);

}  // namespace fredsim
