// SPDX-License-Identifier: Apache-2.0
// Pace of packets, PacketOrder::kPaced: sources start packets of a tree evenly, as many in a frame
// of cycles as the busiest link takes, and all channels send them in an order
// (collective/detail/packet_order.h).
//
// Sources that send as fast as they may keep links saturated: every queue then depends on the whole
//   history, and states recur late or never. With a pace the load of a link never exceeds its rate,
//   queues hold the packets of one frame, and some latencies after the start the state of the
//   machine recurs after each frame (engine/memo/recurrence.h).
// Frame: cycles, kSlack more than the busiest link sends for, so that queues filled during the
//   start drain (with a third of that, all-gathers on 5 x 4 do not recur); as short as rounding to
//   whole cycles costs no more than kMaxLoss, or else the best frame up to kLongestFrame. Trees
//   send packets in it in the ratio of their intervals. Acknowledgements count, too; one goes with
//   a whole number of frames' packets of its tree (Tree::acknowledge_packets).
// Buildable: a source has a counter that gains `in_frame` per cycle and starts a packet at `frame`;
//   nothing waits for a common clock, the first packet leaves at once.
// Without: FRED trees, whose switches do not reach the rate of their links with what sources send
//   evenly (hier_ring on Fred-C 4 to 6 % slower); all-to-alls, with which routers do not either (42
//   % slower); routers that add; streams; parts that share links; what packet_order.h finds no
//   order for. A note says so.
// Cost: of 64 MiB on 5 x 4 multi_tree and hier_ring take 0.6 % more cycles than without,
//   reduce-scatters 0.3, all-gathers 0.6, broadcasts 0.4.
#pragma once

#include "plan/plan.h"
#include "topology/topology.h"

namespace fredsim {

// Parts that cannot have one, with a note; before they are given an order.
void refuse_packet_pace(const Topology& topology, Plan& plan);
// Fills in Part::frame, Tree::in_frame and ::acknowledge_packets of parts that are to have a pace.
// Who acknowledges and the order of packets are set.
void set_packet_pace(const Topology& topology, Plan& plan);

}  // namespace fredsim
