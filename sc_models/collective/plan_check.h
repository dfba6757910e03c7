// SPDX-License-Identifier: Apache-2.0
// Check of a plan's trees (plan/plan.h) before they are used: a circle of hops would never end, an
// operand that arrives twice would be added twice, and a rank without incoming data would wait for
// ever.
//
// Hops of a tree: no rank sends to itself or back to its sender. Each rank sends its sum to one
//   rank, which adds it once, and all sums end in one root; from there results reach a rank at most
//   once, and every rank that receives. In-switch trees only have the hops of detached ranks.
// Operands: no rank receives the operand of another rank for the same flits by two trees; a sum at
//   every rank has the operand of each rank once; relays have no operand.
// Trees of one box of rings (plan/ring_box_trees.h) are rotations of each other, so that only one
// of them is checked.
// Cost: linear in the ranks of the trees, and a sort of the ranges of trees that overlap, as in
//   all-to-alls; always on.
// Errors: std::logic_error, since a bad tree is a fault of the algorithm, never of its input: "plan
//   of detours: npu3 sends flow 7 back to its sender npu2". A flow is a tree, counted from 0 in its
//   plan.
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

// Checks only the hops of sums, with ranks[k] being rank k: circles, hops back and sums that are
// added twice.
void check_sums(const TreeName& name, std::span<const TreeRank> ranks);

// Checks all trees of a complete plan.
void check_plan(const Topology& topology, const Plan& plan);

}  // namespace fredsim
