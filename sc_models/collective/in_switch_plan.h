// All-reduce inside the switches of a two-level Fred tree (§7.2, Fred-B and Fred-D).
//
// One tree per slice: every member sends its share by the NIC port of that slice. The L1 chiplet
// adds its members and sends the sum up, the L2 chiplet adds the L1 chiplets and sends the result
// back down, the L1 chiplet distributes it; up and down are two flows of one phase. A group inside
// one L1 switch is one flow of its L1 chiplet. Slice s uses uplink s mod uplinks at every L1
// chiplet (one uplink, also where it is slower than an NPU port), which spreads the slices over the
// L2 chiplets.
//
// Ports are found by walking links, so the builder's port order does not matter.
#pragma once

#include "collective/plan.h"

namespace fredsim {

// Fills plan.trees and plan.programs; members, flits and vc are set, at least two members.
void plan_in_switch(const Topology& topology, Plan& plan);

}  // namespace fredsim
