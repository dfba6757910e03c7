// SPDX-License-Identifier: Apache-2.0
// Streams at the endpoints: weights from I/O controllers to NPUs and gradients back (Part::roots),
// a tree per block.
//
// Mesh and torus: an edge_tree per controller (collective/detail/edge_tree.h) where all have one;
//   some controllers at corners take the other line first, so that the NIC ports of corner NPUs
//   carry no more than the links of the mesh. Else a chain per controller and slice: all chains go
//   round the NPUs in one order, weights one way and gradients the other; each begins at an NPU of
//   its controller's switch, and chains of adjacent controllers begin at adjacent NPUs. So a link
//   carries each stream once.
// Weights are on the part's virtual channel. So are sums, but for their last hop, to a controller,
//   which is on another one where one is free (plan/channels.h); the sums of chains are on a third
//   channel, where two are free, so that sums and weights do not wait for each other in the
//   switches' input buffers.
// Windows (Part::window) are shorter on a mesh or torus whose plan has both directions: what
//   weights fill the queues of NPUs with keeps sums waiting.
#pragma once

#include "plan/plan.h"

namespace fredsim {

// An edge_tree is there for every controller.
bool has_edge_streams(const Topology& topology, const Part& part);
// Add the trees of a part, and set its window.
void add_edge_streams(const Topology& topology, int part, Plan& plan);  // has_edge_streams()
void add_chain_streams(const Topology& topology, int part, Plan& plan);

}  // namespace fredsim
