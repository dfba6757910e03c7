// SPDX-License-Identifier: Apache-2.0
// Notes about buffers with room for less than two maximum-length packets, and the resulting rate.
// Switches start a packet of any length into their output staging, and some
// (SwitchKind::head_credits) over a link, only if there is room for the longest packet, so that a
// packet in such a buffer blocks the next one.
//
// Bound: R cycles are the credit round trip, from the launch of a flit over its credit to the
//   next launch; within a switch from its entry into the staging to its launch. If a packet of S
//   flits that needs room for N starts into a buffer of B, the next packets start before its first
//   credit as long as B - N has room for the packets before them, else once enough of its own
//   credits are back.
#pragma once

#include <string>
#include <vector>

#include "topology/topology.h"

namespace fredsim {

// A line per kind of buffer, for the links with the minimum rate; empty: all buffers have room for
// two packets. `packets`: packet lengths in flits, ascending.
std::vector<std::string> buffer_notes(const Topology& topology, const std::vector<int>& packets);
// Notes for packets of one flit and of the maximum length.
std::vector<std::string> buffer_notes(const Topology& topology);

}  // namespace fredsim
