// SPDX-License-Identifier: Apache-2.0
// Notes about buffers with room for less than two maximum-length packets, and the resulting rate. A
// packet in such a buffer blocks the next one: switches start a packet, of any length, only if
// there is room for the longest one. This holds for their output staging and, in some
// (SwitchKind::head_credits), for the buffer behind a link.
//
// Bound: R is the credit round trip in cycles: from the launch of a flit to the launch that its
//   credit allows; within a switch, from the entry into the staging to the launch. A packet of S
//   flits starts into a buffer of B flits if N slots are free. The next packets start before its
//   first credit has returned, as long as B - N slots hold the packets before them; later packets
//   start when enough of its credits have returned.
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
