// SPDX-License-Identifier: Apache-2.0
// Boxes of a group's members (collective/endpoint_trees.h) for endpoint algorithms.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "collective/endpoint_trees.h"

namespace fredsim {

// One-dimensional box: group order; a whole grid along single hops.
RingBox flat_box(const Topology& topology, const std::vector<NodeId>& members);

// One-dimensional box; on a grid sorted by distance to the farthest member, smallest first.
RingBox middle_first_box(const Topology& topology, const std::vector<NodeId>& members);

// A rectangle of a grid by rows and columns, any other group in group order.
RingBox rectangle_box(const Topology& topology, const std::vector<NodeId>& members);

// Box of a group on a tree of switches: a dimension per level. On a fabric without levels: a
// dimension per dimension of the fabric. One-dimensional (flat_box()) if the switches of a level
// differ in their number of members, or if the members do not fill a box of the fabric's
// dimensions.
RingBox level_box(const Topology& topology, const std::vector<NodeId>& members);

// Empty: level_box() has two dimensions or more. Otherwise the end of a message, as of
// Algorithm::refusal(), for an algorithm that needs two dimensions; `instead` names an alternative.
std::string levels_refusal(const Topology& topology, const std::vector<NodeId>& members,
                           std::string_view algorithm, std::string_view instead);

// True where some link between switches is slower than the NPUs' links.
bool slow_uplinks(const Topology& topology);

}  // namespace fredsim
