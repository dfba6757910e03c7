// SPDX-License-Identifier: Apache-2.0
// Collectives inside the switches of a Fred tree (§5, §7.2; Fred-B and Fred-D), or inside the
// routers of a mesh that add.
//
// Slices: each carries its share and shares no resources with other slices. A slice that failed
//   components cut off from some members detaches these members
//   (collective/detail/detached_ranks.h). The reduction tree of a group in a slice
//   (collective/detail/reduction_tree.h) consists of the chiplets of the members and, level by
//   level, the chiplets above them up to a common chiplet, and of the uplink that every chiplet
//   uses.
// Flows: the data of contributors is added on the way up. At the chiplet where all operands are
//   added the sum turns, and is distributed on the way down; up and down are two flows of one
//   phase. Simple collectives (all_reduce, reduce, broadcast, multicast, unicast) are one tree per
//   slice; reduce_scatter and all_gather are serial steps, a reduce or broadcast tree per owner of
//   a block. Streams (Part::roots) have such trees, too, but all at a time: each sender alternates
//   between the trees, with runs of the packets of a burst (Link::burst), so that phases change
//   between bursts. Streams in both directions share phases: the weights and the gradients of a
//   root.
// Uplinks: the same in every slice, so that slices are copies of each other
//   (operations/equal_slices.h). If an uplink is slower than the port of an NPU, a group has
//   several trees over different uplinks (uplink trees), as many as it needs and can get. Simple
//   collectives are split over them. Steps of compound collectives use them in turn, as many steps
//   at once as there are uplink trees.
// Phases: each serial step of a group has its own index, and so has each of its uplink trees. Parts
//   of one VC that are in flight together share phases and are routed together. Each port, uplinks
//   included, belongs to one part per direction in all of their phases, so that no part waits for
//   another inside the fabric; an NPU may send for one part and receive for another. Parts of
//   different VCs have different phases. Parts that wait for earlier parts (OnConflict::kLater)
//   reuse phases of these with equal rows.
// Search: uplinks are assigned by a search over the choices of all groups (visit_reduction_trees),
//   which backtracks when no uplinks are left or the flows of a chiplet cannot be routed. On a
//   two-level tree it is complete, up to kMaxSteps steps; a conflict then means that no choice of
//   uplinks and colours exists. (Further uplink trees, for slow uplinks, are taken as they are
//   found.)
//
// Mesh: one slice, NIC port 0, and a tree of routers per group (collective/detail/grid_trees.h) in
//   place of chiplets and uplinks; the search tries other rows and columns for groups whose trees
//   meet. Links of 1 flit per cycle carry the data once each way, so a larger mesh is as fast, but
//   for its latency.
// Ports are found by walking links, so the builder's port order does not matter, nor do the levels.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plan/group_conflict.h"
#include "plan/plan.h"

namespace fredsim {

// Packets over several slow uplinks are short: a packet holds its phase until its last flit has
// arrived, while the phases of the other uplink trees wait. Runs of packets limit the number of
// phase changes.
struct PacketShape {
  int flits = kPacketFlits;
  int run = 1;
  int lead = 0;  // Part::lead
};

struct InSwitchPlan {
  std::vector<std::vector<Tree>> trees;             // by part; empty for parts not requested
  std::vector<PacketShape> packets;                 // by part
  std::vector<std::vector<int>> after;              // by part
  std::vector<std::vector<std::uint64_t>> weights;  // by part: Part::slice_weights after planning
  std::vector<PhaseProgram> programs;
  std::vector<int> left_over;  // OnConflict::kUnicast: parts that do not fit
  // Set if the phases do not fit in the phase stores: the reason, with a chiplet that has the
  // fewest rows.
  std::optional<std::string> no_rows;
};

// `parts`: indices in plan.parts, ascending, of parts with two or more members. Errors:
// RoutingConflict.
InSwitchPlan plan_in_switch(const Topology& topology, const Plan& plan, std::span<const int> parts,
                            OnConflict on_conflict);

// Name of a part in messages: "group 0,4,8 (all_reduce at priority dp)".
std::string group_name(const Topology& topology, const Part& part);

// Window of a part's sources in packets: large enough that credits, not the window, limit the rate.
int in_switch_window(const Topology& topology, const Part& part);

}  // namespace fredsim
