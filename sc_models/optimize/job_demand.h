// SPDX-License-Identifier: Apache-2.0
// Traffic of a job between the nodes of a network, from its task graph: ring traffic and
// point-to-point traffic.
//
// Rings: all-reduces, reduce-scatters and all-gathers. Groups that share no node and have as many
//   members are one set, since rings of all of them need no more interfaces than rings of one.
// Pairs: everything else. A collective with a root is a chain in the order of its group, from the
//   root or to it.
// Units: bytes of a whole run of the graph. I/O controllers are left out.
#pragma once

#include <functional>
#include <vector>

#include "optimize/node_pairs.h"
#include "plan/collective_spec.h"
#include "workload/task_graph.h"

namespace fredsim {

struct RingGroups {
  std::vector<std::vector<int>> groups{};  // nodes, in the order of ranks
  double bytes = 0;                        // over all links of the rings of all groups
  int members() const { return static_cast<int>(groups.front().size()); }
};

struct JobDemand {
  int nodes = 0;
  std::vector<RingGroups> rings{};  // order of first use in the graph
  PairDemand pairs{};
};

bool goes_along_rings(const CollectiveSpec& spec);
// Bytes over each link of the one ring of a group.
double ring_bytes(const CollectiveSpec& spec);
// Calls with each transfer of a collective that does not go along rings.
void for_each_transfer(const CollectiveSpec& spec,
                       const std::function<void(int from, int to, double bytes)>& visit);

JobDemand demand_of(const TaskGraph& graph, int nodes);

}  // namespace fredsim
