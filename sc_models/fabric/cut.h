// SPDX-License-Identifier: Apache-2.0
// Assignment of a fabric's nodes to partitions, each stepped by one thread or process
// (fabric/partition.h).
//
// Look-ahead: a flit or credit that crosses from one partition to another is in flight for at least
//   the latency of its link. So all partitions may advance by the minimum latency of the crossing
//   links before they exchange.
#pragma once

#include <cstdint>
#include <vector>

#include "topology/topology.h"

namespace fredsim {

using Cut = std::vector<int>;  // partition of each node, from 0; empty: all nodes are in one

// Place of a node: its partition and its number there.
struct NodePlace {
  std::uint32_t partition = 0;
  std::uint32_t node = 0;  // number within the partition
};

// Number of partitions of `cut`. std::logic_error if it is not a cut of this topology, or a
// partition is empty.
int partitions_of(const Topology& topology, const Cut& cut);

// The switch that an endpoint stays with: the one at its first link to a switch. -1 for a switch,
// or an endpoint without such a link.
NodeId home_switch(const Topology& topology, NodeId node);

// Assigns switches in the order of their numbers to partitions of almost equal ports; endpoints
// follow their switches. `partitions`: 1 ... max_partitions(topology).
Cut cut_evenly(const Topology& topology, int partitions);
int max_partitions(const Topology& topology);  // switches; 1 without any
// Cuts every part of `cut` by itself into `into` parts, like cut_evenly(); into fewer if it has
// fewer switches. Result, by node: the number within its part.
Cut cut_parts_evenly(const Topology& topology, const Cut& cut, int into);
// Rectangles of columns x rows routers of a grid, smaller ones at its east and south sides.
Cut cut_into_rectangles(const Topology& grid, int columns, int rows);

// Parts of a large grid, each small enough to stay in a core's caches while it advances by a
// look-ahead (FabricCore::advance()). Empty if the whole is not that large, is no grid, or has
// links that may not cross (links/link_policy.h).
Cut cut_for_caches(const Topology& topology);

// Look-ahead in cycles; the highest number if no link crosses.
std::uint64_t look_ahead(const Topology& topology, const Cut& cut);

}  // namespace fredsim
