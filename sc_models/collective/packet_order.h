// The order in which packets of trees that reduce share a channel (NIC port and VC) on a mesh or torus.
//
// In the order in which packets come, which tree goes next depends on all that has been, and never recurs. So every packet
//   is given a time at which it is due on each channel, before the run: packet k of a tree at `due + k * interval`, where
//   `due` (TreeRank::sum_due, result_due) grows with every hop on its way. Packets of a part leave a channel in the order
//   of these times; what is next is waited for, whatever else is there. Times only order: nothing waits for a clock.
// Intervals (Tree::interval) are in the ratio of small integers, as the trees' flits are, so that each sends so many packets
//   in a frame, and the order on every channel is the same in each frame. Nothing then depends on what comes first: the
//   state of the machine recurs (engine/recurrence.h), after so many frames as make a whole number of cycles.
// Hops: `due` grows by what a hop takes that waits for nothing, and kSlackPackets more. With less, packets are waited for
//   that cannot be there yet, on every channel again; with more, the first ones wait for nothing.
// Deadlock: what a packet waits for, the same packet one hop before, or another one of its channel, is due no later, and
//   the former earlier. A source also waits for the result that is a window before; parts where that is due later than
//   the packet are left without order. Parts do not wait for each other.
// Without order (interval 0): streams (Part::roots), which go beside others the other way; parts with trees that do not reduce, in the switches or in steps, such with ratios that no small
//   integers meet, and those whose longest tree has fewer than kFewestPackets packets, which end before they are in step.
//   Nor where it costs: on FRED trees rings of 64 MiB took 42 % (Fred-A) and 19 % (Fred-C) longer with it, as packets across L1
//   switches are late by much; between routers that add (mesh_reducing), where packets wait for each other more, 1.2 %.
// Cost: of 64 MiB on 5 x 4 multi_tree takes 82 820 cycles (82 799 in the order in which packets come), hier_ring 128 150 (128 409).
#pragma once

#include "collective/plan.h"
#include "topology/topology.h"

namespace fredsim {

// Fills in Tree::interval and the dues of its ranks. Part::window and ::packet_flits are set, and stay.
void set_packet_order(const Topology& topology, Plan& plan);

}  // namespace fredsim
