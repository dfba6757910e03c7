// SPDX-License-Identifier: Apache-2.0
// Check of a plan's trees (plan/plan.h) before anything follows them: a circle of hops would be
// followed for ever, an operand that comes twice would be added twice, and a rank that is sent
// nothing would wait for ever.
//
// Hops of a tree: no rank sends to itself or back to its sender; sums go to one rank each, which
//   adds them once, and end in one root; results go from there to a rank once at most, and to all
//   that receive. In-switch trees: hops of detached ranks alone.
// Operands: of no rank does another have the same flits by two trees; a sum at every rank has each
//   rank's operand once; relays have none.
// Trees of one box of rings (plan/ring_box_trees.h) are rotations of each other, so that only one
// of them is checked.
// Cost: linear in the ranks of the trees, and a sort of the ranges of trees that overlap, as in
//   all-to-alls; always on.
// Errors: std::logic_error, a fault of the algorithm and never of its input: "plan of detours: npu3
//   sends flow 7 back to its sender npu2". A flow is a tree, counted from 0 in its plan.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "plan/plan.h"
#include "plan/tree_rank.h"
#include "topology/topology.h"

namespace fredsim {

// A tree in words of messages.
struct TreeName {
  const Topology& topology;
  const std::vector<NodeId>& members;
  const std::string& algorithm;
  std::size_t flow = 0;
};

// Hops of sums alone, of ranks that stand at their places: circles, hops back and sums that are
// added twice.
void check_sums(const TreeName& name, std::span<const TreeRank> ranks);

// All trees of a plan that is whole.
void check_plan(const Topology& topology, const Plan& plan);

}  // namespace fredsim
