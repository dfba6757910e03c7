// SPDX-License-Identifier: Apache-2.0
// Order in which packets share a channel (NIC port and VC): packets of trees that reduce, or have a
// pace (collective/detail/packet_pace.h), on a mesh or torus, and packets of all-reduces by rings
// on a FRED tree.
//
// Reason: if packets leave in the order of arrival, the next tree depends on the whole history, and
//   the state never recurs. So every packet gets a due time on each channel before the run: packet
//   k of a tree is due at `due + k * interval`, where `due` (Send::due) grows with every hop on its
//   path. Packets of a part leave a channel in the order of their due times, and the channel waits
//   for the next packet even if later packets are present. Due times define an order only: nothing
//   waits for a clock.
// Intervals (Tree::interval) are in the ratio of small integers, like the flits of the trees. Each
//   tree thus sends a whole number of packets per frame, and the order on every channel is the same
//   in all frames. Since the order does not depend on arrivals, the state of the machine recurs
//   (engine/memo/recurrence.h), after the number of frames that makes a whole number of cycles.
// Hops: `due` grows by the time of a hop without waits, plus a slack: kSlackPackets on a grid,
//   kSlackOfFrame on a FRED tree. With less slack, every channel waits for packets that cannot have
//   arrived yet; with more, the first packets wait without need.
// FRED trees: all trees of a part have the same length, and a frame has one packet of each. Packets
//   from a NIC port pass the input buffer of an L1 chiplet, which holds no more than a link round
//   trip, to an output port that is equally busy. They must arrive evenly, or the link starves
//   during bursts of another VC. So the packets of a channel are spread evenly over the frame: each
//   is due at the first free place at or after its earliest arrival. A virtual channel of a port is
//   at most two intervals ahead of another one (npu/npu_scheduler.h), so that sources send at the
//   rate of the busiest link. The same limit holds for all-reduces on grids, whose cycles it does
//   not change. The window (Part::window) grows as due times require, to at most kMaxWindow.
// Deadlock: none. A packet waits either for itself to arrive from the hop before, where it is due
//   earlier, or for another packet of its channel or port, which is due no later. A source also
//   waits for the result of the packet one window before; a part in which this result is due later
//   than the packet has no order. Parts do not wait for each other.
// Without order (interval 0): streams (Part::roots), which share links with streams in the opposite
//   direction; parts with trees that do not reduce and have no pace, in the switches or in steps;
//   parts with ratios that small integers cannot express; and parts whose longest tree has fewer
//   than kFewestPackets packets, which end before they reach a steady state. Unless requested
//   (PacketOrder::kRecurring), there is also no order between routers that add (mesh_reducing):
//   packets wait for each other more there, which costs 1.2 %. PacketOrder::kArrival disables the
//   order.
// Cost: at 64 MiB, multi_tree on 5 x 4 takes 82 820 cycles (82 799 in the order of arrival),
//   hier_ring 128 150 (128 409); hier_ring on Fred-A 108 565 (108 247), on Fred-C 64 463 (65 008).
//   With the due times of grids, and without the limit between virtual channels of a port, Fred-C
//   took 75 269: the port to an NPU was idle while bursts across L1 switches filled the buffers.
#pragma once

#include "plan/plan.h"
#include "topology/topology.h"

namespace fredsim {

// Fills in Tree::interval, Send::due and Part::is_ordered, and Part::order where kAuto takes a pace.
// Part::window and ::packet_flits are set; with a pace or on a FRED tree the window may grow.
void set_packet_order(const Topology& topology, Plan& plan);

}  // namespace fredsim
