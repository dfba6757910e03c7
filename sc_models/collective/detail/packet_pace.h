// SPDX-License-Identifier: Apache-2.0
// Pace of packets, PacketOrder::kPaced: sources start the packets of a tree at even intervals, as
// many per frame of cycles as the busiest link can carry, and all channels send them in a fixed
// order (collective/detail/packet_order.h).
//
// Reason: sources that send as fast as possible keep links saturated. Every queue then depends on
//   the whole history, and states recur late or never. With a pace the load of a link never exceeds
//   its rate, and queues hold the packets of one frame; a few latencies after the start the state
//   of the machine recurs after each frame (engine/memo/recurrence.h).
// Frame: kSlack longer than the busiest link needs, so that queues filled during the start drain
//   (with a third of this slack, all-gathers on 5 x 4 do not recur). It is the shortest frame whose
//   rounding to whole cycles costs no more than kMaxLoss, or else the best frame up to
//   kLongestFrame. Trees send packets in it in the ratio of their intervals. Acknowledgements are
//   included in the load; one acknowledgement covers the packets of its tree in a whole number of
//   frames (Tree::acknowledge_packets).
// Hardware: a counter per source gains `in_frame` per cycle, and a packet starts when it reaches
//   `frame`. No common clock is needed, and the first packet leaves at once.
// Without a pace: FRED trees, whose switches do not reach the rate of their links under evenly
//   spaced packets (hier_ring on Fred-C 4 to 6 % slower); all-to-alls, for which routers do not
//   reach it either (42 % slower); routers that add; streams; parts that share links; and parts
//   without an order (packet_order.h). A note gives the reason.
// Chosen by PacketOrder::kAuto for parts above kPacedAboveBytes that can have a pace and whose
//   longest tree has kFewestPacedPackets packets: the pace then cost less than a percent wherever it
//   was measured. Up to that size a run on 5 x 4 takes a second without it. With half as many
//   packets all-gathers on 8 x 8 took 1.0 % longer, and most of a run was simulated anyway. Other
//   parts are left as they are, without a note.
// Cost: at 64 MiB on 5 x 4, multi_tree and hier_ring take 0.6 % more cycles than without a pace,
//   reduce-scatters 0.3, all-gathers 0.6, broadcasts 0.4.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/plan.h"
#include "topology/topology.h"

namespace fredsim {

inline constexpr std::uint64_t kFewestPacedPackets = 256;

// Parts, by number, that kAuto may give a pace.
std::vector<bool> may_choose_pace(const Topology& topology, const Plan& plan);
// Removes the pace of parts that cannot have one, with a note; call before they get an order.
void refuse_packet_pace(const Topology& topology, Plan& plan);
// Fills Part::frame, Tree::in_frame and Tree::acknowledge_packets of parts with a pace. Requires
// acknowledging ranks and the order of packets.
void set_packet_pace(const Topology& topology, Plan& plan);

}  // namespace fredsim
