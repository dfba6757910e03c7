// SPDX-License-Identifier: Apache-2.0
// Graph of elementary hops between NPUs of a grid: hops of one or two links that pass no router of
// another NPU of the graph. A router without an NPU of the graph only forwards.
//
// Shapes: ranks are places in the list of NPUs; hops are undirected, with the links of both
// directions, including the links between an NPU and its router.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "plan/link_walk.h"
#include "plan/plan.h"
#include "topology/topology.h"

namespace fredsim {

class HopGraph {
 public:
  struct Hop {
    int a = 0;
    int b = 0;               // ranks, a < b
    std::vector<int> links;  // links of the topology, there and back, each once

    int other(int rank) const { return rank == a ? b : a; }
  };

  // Both arguments must outlive the graph.
  HopGraph(const Topology& topology, const std::vector<NodeId>& npus);

  int size() const { return static_cast<int>(npus_.size()); }
  const std::vector<Hop>& hops() const { return hops_; }
  const std::vector<int>& at(int rank) const { return at_[rank]; }
  std::size_t links() const { return over_.size(); }  // number of the topology's links
  const std::vector<int>& over(int link) const { return over_[link]; }
  double rate(int link) const { return topology_.links[link].rate.value(); }  // flits per cycle
  double slowest(const Hop& hop) const;  // rate of its slowest link

  // Number of hops to the farthest NPU; empty: the graph is not connected.
  std::optional<int> reach(int from) const;

 private:
  bool cross(int from, int to, std::vector<int>& links) const;
  void add(int a, int b);

  const Topology& topology_;
  const std::vector<NodeId>& npus_;
  const Plan none_{};
  LinkWalk walk_;
  std::set<NodeId> routers_;
  std::vector<Hop> hops_;
  std::vector<std::vector<int>> at_;    // hops, by rank
  std::vector<std::vector<int>> over_;  // hops, by link
};

}  // namespace fredsim
