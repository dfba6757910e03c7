// How a group lies in one slice of a Fred tree, and the flows of a tree on it (§5).
#pragma once

#include <cstdint>
#include <optional>
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

// All skeletons of a group in a slice, the one that the slice prefers first; one for a group inside a
// chiplet. `members`: by rank; NIC port `slice` of each leads into the slice.
std::vector<Skeleton> skeletons_of(const Topology& topology, const std::vector<NodeId>& members,
                                   int slice);

// Ports of one chiplet that a skeleton takes, as inputs and outputs alike.
struct PortsTaken {
  NodeId chiplet = 0;
  std::uint32_t ports = 0;
};
std::vector<PortsTaken> ports_of(const Skeleton& skeleton);

// Lanes of a skeleton's kind that it takes to carry as much as an NPU's port; 1 without uplinks.
int lanes_wanted(const Topology& topology, const Skeleton& skeleton,
                 const std::vector<NodeId>& members, int slice);

// The flows of a tree on a skeleton. `sum` marks the one that carries operands towards the sum.
struct StopFlow {
  int stop = 0;
  Flow flow;
  bool sum = false;
};
std::vector<StopFlow> flows_on(const Skeleton& skeleton, const std::vector<bool>& contributes,
                               const std::vector<bool>& receives);

// Order of the ranks in the sum, from the order of the ports in every flow: order_of(flow's index).
SumOrder rank_order(const Skeleton& skeleton, const std::vector<StopFlow>& flows,
                    const std::vector<SumOrder>& orders);

}  // namespace fredsim
