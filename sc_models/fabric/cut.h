// SPDX-License-Identifier: Apache-2.0
// Partition of every node of a fabric: what one thread, or one process, steps (fabric/partition.h).
//
// Look-ahead: what crosses from one partition to another is under way for at least the latency of its link. So all
//   may go on by as many edges as the minimum latency of the links that cross, before they need to hear of each
//   other.
#pragma once

#include <cstdint>
#include <vector>

#include "topology/topology.h"

namespace fredsim {

using Cut = std::vector<int>;  // by node: its partition, 0 ... ; empty: all nodes are in one

// Place of a node.
struct NodePlace {
  std::uint32_t partition = 0;
  std::uint32_t node = 0;  // its number there
};

// Partitions of `cut`. std::logic_error: it is not one of this topology, or a partition is empty.
int partitions_of(const Topology& topology, const Cut& cut);

// The switch that an endpoint stays with: that of its first link to one. -1: a switch, or an endpoint that is joined to none.
NodeId home_switch(const Topology& topology, NodeId node);

// Switches in order of their numbers, in parts with as many ports as can be; endpoints with theirs.
// `partitions`: 1 ... max_partitions(topology).
Cut cut_evenly(const Topology& topology, int partitions);
int max_partitions(const Topology& topology);  // switches; 1 without any
// Every part of `cut` by itself into so many, as above; fewer where it has fewer switches. By node: the number in its part.
Cut cut_parts_evenly(const Topology& topology, const Cut& cut, int into);
// Rectangles of columns x rows routers of a grid, smaller ones at its east and south sides.
Cut cut_into_rectangles(const Topology& grid, int columns, int rows);

// Parts of a large grid of which each, while it goes on by itself for a look-ahead, stays in the caches of a core
// (FabricCore::advance()). Empty: the whole is not that large, is no grid, or has links that may not cross
// (links/link_policy.h).
Cut cut_for_caches(const Topology& topology);

// In cycles; the highest number where no link crosses.
std::uint64_t look_ahead(const Topology& topology, const Cut& cut);

}  // namespace fredsim
