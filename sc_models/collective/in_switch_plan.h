// SPDX-License-Identifier: Apache-2.0
// Collectives inside the switches of a Fred tree (§5, §7.2; Fred-B and Fred-D), or inside the
// routers of a mesh that add.
//
// Slices: each carries its share and has no resources in common with other slices; slices that
//   failed components cut off from some members detach these members
//   (collective/detail/detached_ranks.h). In a slice the members' chiplets and, level by level, the
//   chiplets above them up to a common chiplet form a group's reduction tree
//   (collective/detail/reduction_tree.h); it also says which uplink every chiplet takes.
// Flows: contributors' data are added on the way up; where all are in, the sum turns and is
//   distributed on the way down; up and down are two flows of one phase. Simple collectives
//   (all_reduce, reduce, broadcast, multicast, unicast) are one tree per slice; reduce_scatter and
//   all_gather are serial steps, a reduce or broadcast tree per owner of a block. Streams
//   (Part::roots) have the same, all at a time: each sender goes round the trees by runs of a
//   burst's packets (Link::burst), so that phases change between bursts. Streams in both directions
//   share the phases, a root's weights and its gradients.
// Uplinks: the same in every slice, so that slices are copies of each other
//   (operations/equal_slices.h). Where an uplink is slower than an NPU's port, a group takes as
//   many trees over different uplinks (uplink trees) as it needs and gets: simple collectives are
//   split over them, steps of compound ones go by them in turn, as many at once as there are uplink
//   trees.
// Phases: each serial step of a group has its own index, each of its uplink trees too. Parts of one
//   VC that are under way together share phases and are routed together; each port, uplinks
//   included, is one part's in all of their phases and each direction, so that no part waits for
//   another inside the fabric; an NPU may send for one part and receive for another. Parts of
//   different VCs have different phases. Parts that wait for earlier parts (OnConflict::kLater)
//   take over the phases of earlier ones that have the same rows.
// Uplinks are given out by a search over all groups' choices (visit_reduction_trees) that goes back
//   where no uplinks are left or the flows of a chiplet cannot be routed. On a two-level tree it is
//   complete, up to kMaxSteps steps; a conflict then means that no choice of uplinks and colours
//   exists. (Further uplink trees, where uplinks are slow, are taken as they come.)
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

// Over several slow uplinks, packets are short: a packet holds its phase until its last flit has
// come, and the phases of the other uplink trees wait. Runs of packets keep the changes of phase
// few.
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
  // The phases do not fit in the phase stores: why, and a chiplet with the fewest rows.
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
