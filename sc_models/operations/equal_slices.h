// SPDX-License-Identifier: Apache-2.0
// One slice for all that do the same: which trees of the plans of a run have to be simulated at
// all.
//
// The slices of a FRED tree share nothing but the endpoints, whose NIC ports work side by side. Two
//   slices do the same, cycle by cycle, when in every plan of the run
//     all trees go by one NIC port each, the same at every rank;
//     the trees of the one are those of the other in their order: part, step, phase, ranks, who
//     sends to whom, and size;
//   and when port by port their links are of equal rate and latency and their chiplets of equal
//     shape, with equal rows.
//   So each chiplet is a copy of another, which at every edge gets the same at the same ports;
//     unicasts' routes are the same
//   by number of port, too (routing/online_routes.h), and what chooses between them starts from the
//     same state everywhere.
// Flits that are short, which count as fewer bytes, keep a slice apart.
// Rows are written into all chiplets, so that they are there when they are.
#pragma once

#include <span>
#include <vector>

#include "plan/plan.h"
#include "topology/topology.h"

namespace fredsim {

struct EqualSlices {
  std::vector<int>
      port_like;  // NIC port -> the one whose trees are simulated in its place; empty: all are
  std::vector<int> link_like;       // link -> the one whose counts it has
  std::vector<NodeId> switch_like;  // node -> the same

  Plan simulated(Plan plan) const;  // its trees that are to be simulated
  // By tree of a plan that simulated() has given: how many trees of the whole plan do the same.
  std::vector<int> copies(const Plan& simulated) const;
};

// The NIC port by which all packets of a tree go and come; below 0: none, or several.
int slice_port(const Tree& tree);
// Slices of a FRED tree that the trees of a plan use; 0 of another machine.
int slices_used(const Topology& topology, const Plan& plan);

EqualSlices find_equal_slices(const Topology& topology, std::span<const Plan* const> plans);
EqualSlices find_equal_slices(const Topology& topology, const Plan& plan);
// Nothing left out, everything like itself.
EqualSlices all_slices(const Topology& topology);

}  // namespace fredsim
