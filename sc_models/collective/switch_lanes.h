// How a group lies in one slice of a Fred tree, and the flows of a tree on it (§5).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "routing/fred_routing.h"
#include "topology/topology.h"

namespace fredsim {

// One chiplet of a skeleton: what hangs below it and the way up.
struct SkeletonStop {
  NodeId chiplet = 0;
  int up_port = -1;  // -1: the top
  int parent = -1;   // stop
  struct Member {
    int port = 0;
    int rank = 0;
  };
  std::vector<Member> members;  // of level 1
  struct Child {
    int port = 0;
    int stop = 0;
  };
  std::vector<Child> children;
};

// Stops level by level upwards; the last one is the top.
using Skeleton = std::vector<SkeletonStop>;

// Ports of a chiplet that flows take, by direction.
struct PortMasks {
  std::uint32_t inputs = 0;
  std::uint32_t outputs = 0;
};
using PortUse = std::map<NodeId, PortMasks>;

// Who puts data into the trees of a group and who gets results, by rank.
struct GroupRoles {
  std::vector<bool> contributes;
  std::vector<bool> receives;
};

// The lowest stops of a group in a slice. `members`: by rank; NIC port `slice` of each leads into it.
Skeleton lowest_stops(const Topology& topology, const std::vector<NodeId>& members, int slice);

// Ports of a chiplet that lead up, in the order of the chiplets and ports they lead to, which is the
// same order at every chiplet below the same switch.
std::vector<int> uplinks_of(const Topology& topology, NodeId chiplet);

// How a group uses the uplink of a stop: outputs not 0, upwards; inputs not 0, downwards.
PortMasks uplink_directions(const Skeleton& skeleton, int stop, const GroupRoles& roles);

// Calls `visit` with skeletons on `lowest` whose uplinks `used` leaves free, the one that the slice
// prefers first, until it returns true; false when it never did.
//
// Order: first the same uplink number at every chiplet of a level, then, where the chiplets of a level
// have a chiplet above in common, all other choices of uplinks that lead to it.
// Of uplinks that no routing can tell apart (the same two chiplets, the same edge µSwitch at both
// ends: flows share sub-networks or do not by edge µSwitches alone) one is visited. It is one that is
// half taken, in the other direction, where there is any: then no uplink is left half taken in one
// direction while another is in the other direction, so that what fits on them does not depend on the
// order. On a two-level tree the visit is therefore complete: what no skeleton visited can do,
// none can.
bool visit_skeletons(const Topology& topology, const Skeleton& lowest, const GroupRoles& roles,
                     const PortUse& used, int slice,
                     const std::function<bool(const Skeleton&)>& visit);

// Lanes of a skeleton's kind that it takes to carry as much as an NPU's port; 1 without uplinks.
int lanes_wanted(const Topology& topology, const Skeleton& skeleton,
                 const std::vector<NodeId>& members, int slice);

// The flows of a tree on a skeleton. `sum` marks the one that carries operands towards the sum.
struct StopFlow {
  int stop = 0;
  Flow flow;
  bool sum = false;
};
std::vector<StopFlow> flows_on(const Skeleton& skeleton, const GroupRoles& roles);
PortUse ports_of(const Skeleton& skeleton, const GroupRoles& roles);

// Order of the ranks in the sum, from the order of the ports in every flow: order_of(flow's index).
SumOrder rank_order(const Skeleton& skeleton, const std::vector<StopFlow>& flows,
                    const std::vector<SumOrder>& orders);

}  // namespace fredsim
