// SPDX-License-Identifier: Apache-2.0
// The credit loop of a link: bandwidth that the buffer behind it carries, and the buffer that
// carries all of it.
//
// Loop: a credit is back at the sender after the flit's path, the receiver's pipeline and its own
//   path back. A buffer of B flits carries B flits in that time. The buffer that carries all has
//   room for a packet more, since switches start one only with room for the longest.
// Auto: buffers of kAutoBuffer flits in a machine file's place are sized by size_auto_buffers():
//   those of a switch by the link into it that needs most, those that NPUs receive in by the link
//   into any of them that needs most; none is smaller than the paper's (BufferShape), since packets
//   of several links that meet wait in them, too.
// Units: flits, cycles, bytes/s.
#pragma once

#include <cstdint>

#include "topology/topology.h"

namespace fredsim {

// Cycles from the launch of a flit to the edge at which its credit may launch another one, the
// receiver's pipeline included.
int credit_round_trip(const Link& link);

// Flits behind the link that carry its full rate with packets of up to `packet_flits`.
int covering_flits(const Link& link, int packet_flits);

// Depth of the data buffers behind the link.
int depth_behind(const Topology& topology, const Link& link);

// The link's rate, or what the credits of the buffer behind it allow, if that is less.
double carried_bytes_per_second(const Topology& topology, const Link& link);

// A buffer that carries as much of a link's rate is not worth a word.
inline constexpr double kCarriesAll = 0.95;

// Gives every buffer that is kAutoBuffer its flits, at most kMaxAutoFlits; a note says where that
// is not enough. Others stay.
void size_auto_buffers(Topology& topology);

// Which buffers to widen.
struct WhichBuffers {
  bool of_switches = true;  // for data
  bool of_npus = true;      // that they receive in
};
// The machine with buffers as `auto` sizes them, where they are larger than its own; on a system
// the buffers of its blocks.
Topology with_covering_buffers(const Topology& topology, const WhichBuffers& which = {});

// Buffers that some switch, or the NPUs, of the first one have larger than the second, the same
// machine otherwise.
WhichBuffers larger_buffers(const Topology& one, const Topology& other);

inline constexpr int kMaxAutoFlits = 16000;  // as all kinds of switches have at most

}  // namespace fredsim
