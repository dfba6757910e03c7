// SPDX-License-Identifier: Apache-2.0
// Order in which packets share a channel (NIC port and VC): packets of trees that reduce, or have a
// pace (collective/detail/packet_pace.h), on a mesh or torus, and packets of all-reduces by rings
// on a FRED tree.
//
// In the order in which packets come, which tree goes next depends on all that has been, and never
//   recurs. So every packet is given a time at which it is due on each channel, before the run:
//   packet k of a tree at `due + k * interval`, where `due` (Send::due) grows with every hop on its
//   path. Packets of a part leave a channel in the order of these times; the channel waits for the
//   next packet, even if later ones are present. Times only order: nothing waits for a clock.
// Intervals (Tree::interval) are in the ratio of small integers, as the trees' flits are, so that
// each sends a whole number of packets in a frame, and the order on every channel is equal in all
// frames. The order then does not depend on arrivals: the state of the machine recurs
// (engine/memo/recurrence.h), after the number of frames that makes a whole number of cycles.
// Hops: `due` grows by the time of a hop without waits, plus a slack: kSlackPackets on a grid,
//   kSlackOfFrame on a FRED tree. With less, packets are waited for that cannot be there yet, on
//   every channel again; with more, the first ones wait for nothing.
// FRED trees: all trees of a part are as long, one packet of each in a frame. Packets of a NIC port
//   pass an L1 chiplet's input buffers, which hold no more than the round trip of a link, to a port
//   that is as busy; it must come evenly, or the link starves while another VC's burst passes. So
//   the packets of a channel share a frame evenly, each due at the first place from when it can be
//   there that is free. And no virtual channel of a port is more than two intervals ahead of
//   another one (npu/npu_scheduler.h, of all-reduces on grids too, whose cycles that leaves as they
//   are): so sources send at the rate of the busiest link. The window (Part::window) becomes as
//   large as dues need, at most kMaxWindow.
// Deadlock: what a packet waits for, the same packet one hop before, or another one of its channel
//   or port, is due no later, and the former earlier. A source also waits for the result that is a
//   window before; parts where that is due later than the packet are left without order. Parts do
//   not wait for each other.
// Without order (interval 0): streams (Part::roots), which go beside others the other way; parts
//   with trees that do not reduce and have no pace, in the switches or in steps, parts with ratios
//   that small integers cannot express, and parts whose longest tree has fewer than kFewestPackets
//   packets, which end before they reach a steady state. Unless requested
//   (PacketOrder::kRecurring), there is also no order where it costs time: between routers that add
//   (mesh_reducing), where packets wait for each other more, 1.2 %. None with
//   PacketOrder::kArrival.
// Cost: of 64 MiB on 5 x 4 multi_tree takes 82 820 cycles (82 799 in the order in which packets
//   come), hier_ring 128 150 (128 409); hier_ring on Fred-A 108 565 (108 247), on Fred-C 64 463 (65
//   008). With the dues of grids, and virtual channels of a port that do not wait for each other,
//   Fred-C took 75 269: the port to an NPU was idle while bursts across L1 switches filled the
//   buffers.
#pragma once

#include "plan/plan.h"
#include "topology/topology.h"

namespace fredsim {

// Fills in Tree::interval, Send::due and Part::is_ordered. Part::window and ::packet_flits are set;
// on a FRED tree the window may grow.
void set_packet_order(const Topology& topology, Plan& plan);

}  // namespace fredsim
