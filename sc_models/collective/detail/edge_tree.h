// SPDX-License-Identifier: Apache-2.0
// edge_tree: weight streaming between an I/O controller on an edge of a mesh or torus and NPUs,
// over a tree of single hops between NPUs (§8, "Weight streaming on an N-wide mesh").
//
// The controller's data go to the NPU of its own router and from there along a comb
//   (collective/detail/multi_tree.h): from a controller on the north or south edge along its column
//   first and then along every row, from one on the east or west edge along its row first and then
//   along every column. Sums come back over the same links. With all controllers of a mesh at once
//   the hottest link carries 2 N - 1 streams for the longer side N: 9 on 5 x 4
//   (tests/collective/io_plan_test.cpp).
// Group: one I/O controller, the root, and NPUs that fill a rectangle which includes its router.
//   The other roots of a stream (Part::roots) are ignored.
#pragma once

#include <optional>

#include "collective/detail/multi_tree.h"
#include "plan/plan.h"

namespace fredsim {

struct EdgeTree {
  GridBox box;  // box of the NPUs, with their ranks in the group
  Comb comb;    // rooted at the NPU of the controller's router
};

// Empty where the group is of another kind, or the fabric is no grid. `root`: the controller's
// rank; `roots`: Part::roots.
std::optional<EdgeTree> edge_tree_of(const Topology& topology, const Part& part, int root,
                                     int roots = 0);
Tree edge_tree(TreeBuilder builder, const EdgeTree& tree, Roles roles, int root,
               const FlitRange& range, int roots = 0);

}  // namespace fredsim
