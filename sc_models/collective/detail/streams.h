// SPDX-License-Identifier: Apache-2.0
// Streams at the endpoints: weights from I/O controllers to NPUs and gradients back (Part::roots),
// a tree per block.
//
// Mesh and torus: an edge_tree per controller (collective/detail/edge_tree.h) if all controllers
//   support one; some corner controllers start along the other line, so that the NIC ports of
//   corner NPUs carry no more than the links of the mesh. Otherwise a chain per controller and
//   slice: all chains visit the NPUs in one ring order, weights in one direction and gradients in
//   the other. Each chain begins at an NPU of its controller's switch, and chains of adjacent
//   controllers begin at adjacent NPUs, so that a link carries each stream once.
// Virtual channels: weights use the channel of the part. Sums use it too, except on their last hop,
//   to a controller, which uses another channel if one is free (plan/channels.h). Sums of chains
//   use a third channel if two are free, so that sums and weights do not wait for each other in the
//   input buffers of switches.
// Windows (Part::window) are shorter on a mesh or torus whose plan has both directions: weights
//   that fill the queues of NPUs delay sums.
#pragma once

#include "plan/plan.h"

namespace fredsim {

// An edge_tree is there for every controller.
bool has_edge_streams(const Topology& topology, const Part& part);
// Add the trees of a part, and set its window.
void add_edge_streams(const Topology& topology, int part, Plan& plan);  // has_edge_streams()
void add_chain_streams(const Topology& topology, int part, Plan& plan);

}  // namespace fredsim
