// SPDX-License-Identifier: Apache-2.0
// Reduction trees: the chiplets and uplinks of a group's data in one slice of a Fred tree, and the
//   flows of a plan's tree (plan/plan.h) on them (§5).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "plan/in_switch_roles.h"
#include "routing/fred_routing.h"
#include "topology/topology.h"

namespace fredsim {

// One chiplet of a reduction tree: what hangs below it and the uplink it takes.
struct ReductionNode {
  NodeId chiplet = 0;
  int up_port = -1;  // -1: the top
  int parent = -1;   // index of its node
  struct Member {
    int port = 0;
    int rank = 0;
  };
  std::vector<Member> members;  // at level 1
  struct Child {
    int port = 0;
    int node = 0;  // index
  };
  std::vector<Child> children;
};

// Nodes level by level upwards; the last one is the top.
using ReductionTree = std::vector<ReductionNode>;

// Ports of a chiplet that flows take, by direction.
struct PortMasks {
  std::uint32_t inputs = 0;
  std::uint32_t outputs = 0;
};
using PortUse = std::map<NodeId, PortMasks>;

// Lowest nodes of a group in a slice. `members`: by rank; the NIC port `slice` of each joined
// member leads into the slice.
ReductionTree lowest_nodes(const Topology& topology, const std::vector<NodeId>& members, int slice,
                           const std::vector<bool>& joined);
// NIC port at which a member sends into a slice: the slice's number; on a grid, which has one
// slice, the first port with a link.
int slice_nic_port(const Topology& topology, NodeId member, int slice);

// Uplinks of a chiplet, in the order of the chiplets and ports that they lead to, which is the same
// at every chiplet below a switch; slower ones (topology/faults.h) last.
std::vector<int> uplinks_of(const Topology& topology, NodeId chiplet);

// Use of the uplink of a node by a group: outputs not 0, upwards; inputs not 0, downwards.
PortMasks uplink_directions(const ReductionTree& tree, int node, const GroupRoles& roles);

// Calls `visit` with reduction trees on `lowest` that use only uplinks left free by `used`, until
// it returns true. Returns false if it never did.
//
// Order, the same in every slice: first equal uplink numbers at all chiplets of a level; then,
// where the chiplets of a level have a common chiplet above, all other choices of uplinks that lead
// to it. Uplinks are equivalent for routing if they join the same two chiplets at the same edge
// µSwitch of each, since flows conflict by edge µSwitch only. Of equivalent uplinks one is visited,
// preferably one that is already taken in the other direction: so no two uplinks are each taken in
// a different direction, and the remaining capacity does not depend on the order. On a two-level
// tree the visit is therefore complete: if no visited tree has a routing, no tree has one.
bool visit_reduction_trees(const Topology& topology, const ReductionTree& lowest,
                           const GroupRoles& roles, const PortUse& used,
                           const std::function<bool(const ReductionTree&)>& visit);

// Number of reduction trees like this one that carry the rate of the slowest member's port; 1
// without uplinks.
int trees_wanted(const Topology& topology, const ReductionTree& tree,
                 std::span<const NodeId> members, int slice);

// Flow of a plan's tree at a node of its reduction tree. `sum` marks the flow that carries operands
// towards the sum.
struct NodeFlow {
  int node = 0;
  Flow flow;
  bool sum = false;
};
std::vector<NodeFlow> flows_on(const ReductionTree& tree, const GroupRoles& roles);
PortUse ports_of(const ReductionTree& tree, const GroupRoles& roles);

// Order of the ranks in the sum, from the order of the ports in every flow; `orders` is parallel to
// `flows`.
SumOrder rank_order(const ReductionTree& tree, const std::vector<NodeFlow>& flows,
                    const std::vector<SumOrder>& orders);

}  // namespace fredsim
