// SPDX-License-Identifier: Apache-2.0
// Facts derived from a topology alone: its bisection bandwidth and the names of its parts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "topology/topology.h"

namespace fredsim {

// Bisection bandwidth in bytes/s, one direction, counted as the paper counts it. Its
// figures fix the rule, and both are one direction only:
//   mesh: the links of mesh_bisection_links (topology/mesh2d/mesh2d.h). 5 x 4 in halves of ten: 5 x
//     750 GB/s = 3.75 TB/s. A torus of sides above 2 has twice the mesh's.
//   FRED tree: half of the bandwidth from all switches right below the top to it (if their number
//     is odd, one switch counts half); of the NPUs, in a tree of one switch. 5 x 12 TB/s / 2 =
//     30 TB/s (Fred-C, -D), 5 x 1.5 / 2 = 3.75 TB/s (Fred-A, -B).
std::uint64_t bisection_bytes_per_second(const Topology& topology);

// Longest of the shortest paths between NPUs, in links that are not on a die.
int diameter_links(const Topology& topology);

// RTL parameter `name` of the first switch that has it (Node::values); 0: none has.
int switch_parameter(const Topology& topology, std::string_view name);

// "NPU", "I/O"; of switches in levels "L2", else "router".
std::string place_name(const Topology& topology, const Node& node);

}  // namespace fredsim
