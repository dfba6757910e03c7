// SPDX-License-Identifier: Apache-2.0
// Buffers with room for less than two of the longest packets, and the rate that follows: switches
// start a packet, of however few flits, into their output staging, and some
// (SwitchKind::head_credits) over a link, only where there is room for the longest one, so that
//   what is in such a buffer keeps the next packet out.
//
// Bound: R cycles, a round trip, go by from the launch of a flit over its credit to the next
//   launch; within a switch from its entry into the staging to its launch. Where a packet of S
//   flits that needs room for N starts into a buffer of B, the next ones start before the first of
//   its credits as long as B - N has room for those before them, else once enough of its own are
//   back.
#pragma once

#include <string>
#include <vector>

#include "topology/topology.h"

namespace fredsim {

// A line per kind of buffer, of the links with the least rate; empty: all buffers have room for
// two. `packets`: their flits, ascending.
std::vector<std::string> buffer_notes(const Topology& topology, const std::vector<int>& packets);
// Rates of packets of one flit and of the longest.
std::vector<std::string> buffer_notes(const Topology& topology);

}  // namespace fredsim
