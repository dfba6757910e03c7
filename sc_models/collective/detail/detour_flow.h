// SPDX-License-Identifier: Apache-2.0
// Concurrent flow of several groups of NPUs over the hops of a grid
// (collective/detail/hop_graph.h), NPUs outside of a group included: the rates at which all groups
// together make their all-reduces in the least time.
//
// Program: a group of k members has weights of the k^(k-2) spanning trees over its members; a pair
//   of members that are next to each other in a tree has a flow of that weight, over any paths of
//   hops that pass no other member, and the same flow back, over the same links. Every hop's links
//   carry the sum of these flows in each direction. Minimal: the cycles of the busiest link. On
//   links that are alike both ways, other ways back and trees that differ there and back bring no
//   more: the mean of such a plan and its reverse is of this form.
// Solver: simplex (GLPK). Of plans of equal time one with few hops is taken.
// Bound: minimum over all plans in which only members add and all other NPUs forward
//   (concurrent_flow().cycles).
// Cost: some ten milliseconds on 5 x 4.
// Errors: none; groups of 2 to kMaxDetourMembers members, which hops join.
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
