// SPDX-License-Identifier: Apache-2.0
// Boxes of a system's groups (topology/system.h): all combinations of some places of each
// dimension.
//
// Errors: BadInput for a group that is no box.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "topology/system.h"
#include "topology/topology.h"

namespace fredsim {

struct MemberBox {
  std::vector<std::vector<int>> places{};  // by dimension, ascending
  std::vector<int> root{};                 // by dimension: index in `places`
};

// Hop from one place of a group to another, in one dimension.
struct BoxHop {
  int dimension = 0;
  int group = 0;         // group of the dimension
  int from = 0, to = 0;  // places
};

// Smallest box that contains the NPUs. Its root has the places of `root` where the box has them,
// else the first ones.
MemberBox places_of(const SystemPlaces& places, const std::vector<NodeId>& npus, NodeId root);
std::size_t npus_of(const MemberBox& box);
// Box that the members fill.
MemberBox box_of(const Topology& system, const SystemPlaces& places,
                 const std::vector<NodeId>& members, NodeId root);
// Hops from an NPU to the root of a box, lowest dimension first.
std::vector<BoxHop> path_to(const SystemPlaces& places, NodeId npu, const MemberBox& box);
// Groups of a dimension that have members of a box, ascending; for collectives with a root, only
// groups that take part.
std::vector<int> groups_of(const SystemPlaces& places, const MemberBox& box, int dimension,
                           bool rooted);

}  // namespace fredsim
