// One slice for all that do the same: which trees of a plan have to be simulated at all.
//
// The slices of a FRED tree share nothing but the endpoints, whose NIC ports work side by side. Two slices do
//   the same, cycle by cycle, when
//     the plan has one part;
//     their trees are in-switch, of as many flits, and go by one NIC port each, the same at every rank, which
//     no other tree uses;
//     the links and chiplets that the trees use correspond one to one, links of equal rate and latency,
//     chiplets of equal size that run equal flows under the correspondence.
//   Which uplink a slice uses, and how its flows are coloured, does not matter: all paths through a switch take
//   as many cycles, and with one phase per chiplet nothing is decided by the number of a port.
// The vector's short last flit, which counts as fewer bytes, keeps its slice apart.
// Result: the reduced plan; for each of its trees how many it stands for; for every link and switch of the topology the
//   one whose counts it has: itself where it is simulated or takes no part.
#pragma once

#include <vector>

#include "collective/plan.h"
#include "topology/topology.h"

namespace fredsim {

struct EqualSlices {
  Plan plan;                        // what is to be simulated
  std::vector<int> copies;          // by tree of it: how many trees of the whole plan do the same
  std::vector<int> link_like;       // link -> link
  std::vector<NodeId> switch_like;  // node -> node
};

EqualSlices find_equal_slices(const Topology& topology, const Plan& plan);
// Nothing left out, everything like itself.
EqualSlices all_slices(const Topology& topology, const Plan& plan);

}  // namespace fredsim
