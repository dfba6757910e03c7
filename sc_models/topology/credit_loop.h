// SPDX-License-Identifier: Apache-2.0
// Credit loop of a link: the bandwidth that its downstream buffer sustains, and the buffer size
// that sustains the full rate.
//
// Loop: a credit returns to the sender after the flit's path, the receiver's pipeline and the
//   credit's path back. A buffer of B flits sustains B flits per round trip. A buffer for the full
//   rate has room for one packet more, since switches start a packet only with room for the longest
//   one.
// Auto: buffers of kAutoBuffer flits in a machine file's place are sized by size_auto_buffers():
//   a switch's by its most demanding input link, the NPUs' receive buffers by the most demanding
//   link into any NPU; none is smaller than the paper's (BufferShape), since contending packets of
//   several links wait in them, too.
// Units: flits, cycles, bytes/s.
#pragma once

#include <cstdint>

#include "topology/topology.h"

namespace fredsim {

// Cycles from the launch of a flit to the edge at which its credit may launch another one, the
// receiver's pipeline included.
int credit_round_trip(const Link& link);

// Buffer depth in flits that sustains the link's full rate with packets of up to `packet_flits`.
int covering_flits(const Link& link, int packet_flits);

// Depth of the data buffers behind the link.
int depth_behind(const Topology& topology, const Link& link);

// Rate of the link, limited by the credits of the buffer behind it.
double carried_bytes_per_second(const Topology& topology, const Link& link);

// Share of a link's rate above which a buffer is not reported.
inline constexpr double kCarriesAll = 0.95;

// Sizes every buffer that is kAutoBuffer, at most kMaxAutoFlits; a note reports where that is too
// small. Other buffers are unchanged.
void size_auto_buffers(Topology& topology);

// Buffers to enlarge.
struct WhichBuffers {
  bool of_switches = true;  // for data
  bool of_npus = true;      // receive buffers of NPUs
};
// Machine with every buffer enlarged to the size of `auto`, if that is larger; on a system the
// buffers of its blocks.
Topology with_covering_buffers(const Topology& topology, const WhichBuffers& which = {});

// Buffers of switches, or of NPUs, that are larger in the first machine than in the second, which
// is otherwise equal.
WhichBuffers larger_buffers(const Topology& one, const Topology& other);

inline constexpr int kMaxAutoFlits = 16000;  // minimum of the limits of all kinds of switches

}  // namespace fredsim
