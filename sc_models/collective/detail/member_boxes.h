// SPDX-License-Identifier: Apache-2.0
// The members of a group laid out in boxes (collective/endpoint_trees.h), as endpoint algorithms
// need them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "collective/endpoint_trees.h"

namespace fredsim {

// In one line: group order; a whole grid along single hops.
RingBox flat_box(const Topology& topology, const std::vector<NodeId>& members);

// In one line; on a grid those from which the farthest member is nearest come first.
RingBox middle_first_box(const Topology& topology, const std::vector<NodeId>& members);

// A rectangle of a grid by rows and columns, any other group in group order.
RingBox rectangle_box(const Topology& topology, const std::vector<NodeId>& members);

// By switch and level of a tree of switches; of one dimension where they are not as many
// everywhere. Without levels along the dimensions of the fabric; of one dimension where the members
// do not fill a box of them.
RingBox level_box(const Topology& topology, const std::vector<NodeId>& members);

// Empty: level_box() has two dimensions or more. Else the end of a message, as of
// Algorithm::refusal(), for an algorithm that needs them; `instead` is another one.
std::string levels_refusal(const Topology& topology, const std::vector<NodeId>& members,
                           std::string_view algorithm, std::string_view instead);

// Some link between switches is slower than the NPUs' own.
bool slow_uplinks(const Topology& topology);

}  // namespace fredsim
