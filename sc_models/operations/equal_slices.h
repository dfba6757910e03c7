// SPDX-License-Identifier: Apache-2.0
// Equal slices: one slice is simulated for all slices with equal behaviour, so that only its trees
// have to run.
//
// The slices of a FRED tree share only the endpoints, whose NIC ports work independently. Two
// slices behave the same, cycle by cycle, if the following holds in every plan of the run. All
// trees use one NIC port each, the same at every rank. The trees of both slices agree in order,
// part, step, phase, ranks, hops and size. Port by port, the links have equal rate and latency, and
// the chiplets equal shape and rows.
// Each chiplet is then a copy of another one and receives equal flits at equal ports at every clock
// edge. Unicast routes are equal by port number (routing/online_routes.h), and the arbiters between
// them start from equal states. A slice with short flits, which count as fewer bytes, is excluded.
// Rows are written into all chiplets, so that they are present at the same time.
#pragma once

#include <span>
#include <vector>

#include "plan/plan.h"
#include "topology/topology.h"

namespace fredsim {

struct EqualSlices {
  std::vector<int>
      port_like;  // NIC port -> the port simulated in its place; empty: all ports are simulated
  std::vector<int> link_like;       // link -> the link whose counts it copies
  std::vector<NodeId> switch_like;  // node -> the node whose counts it copies

  Plan simulated(Plan plan) const;  // the plan's trees that have to be simulated
  // Number of trees of the whole plan that each tree of a plan from simulated() represents.
  std::vector<int> copies(const Plan& simulated) const;
};

// NIC port of all packets that a tree sends and receives; below 0: none, or several.
int slice_port(const Tree& tree);
// Number of slices of a FRED tree that a plan's trees use; 0 on any other machine.
int slices_used(const Topology& topology, const Plan& plan);

EqualSlices find_equal_slices(const Topology& topology, std::span<const Plan* const> plans);
EqualSlices find_equal_slices(const Topology& topology, const Plan& plan);
// Identity map: every slice is simulated.
EqualSlices all_slices(const Topology& topology);

}  // namespace fredsim
