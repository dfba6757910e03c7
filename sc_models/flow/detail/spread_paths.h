// SPDX-License-Identifier: Apache-2.0
// Hops spread over all shortest paths between two endpoints, instead of the single path of the
// fabric's routes.
//
// Paths: with the fewest links, from any NIC port, through switches only; a topology has no
//   failed components.
// Shares: in proportion to widths, at every node along the paths. Width of a path: its narrowest
//   link; of several paths from a node on, their sum.
// Use: upper bound of the gain of multipath routing; no engine routes this way.
#pragma once

#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "flow/fair_rates.h"
#include "topology/topology.h"

namespace fredsim {

class SpreadPaths {
 public:
  // `capacities`: by link. Both must outlive it.
  SpreadPaths(const Topology& topology, const std::vector<double>& capacities);

  // Share of a hop that crosses each link, sorted by link; valid as long as this is.
  const std::vector<LinkUse>& hop(NodeId from, NodeId to);

 private:
  // Paths of all nodes to a destination.
  struct ToOne {
    std::vector<int> links;     // by node: links of its shortest paths; kNone: it has none
    std::vector<double> width;  // by node
  };
  static constexpr int kNone = std::numeric_limits<int>::max();

  const ToOne& to_one(NodeId to);
  double width_by(const ToOne& paths, NodeId at, int link) const;

  const Topology& topology_;
  const std::vector<double>& capacities_;
  std::vector<std::vector<int>> out_, in_;  // links by node
  std::map<NodeId, ToOne> to_one_;
  std::map<std::pair<NodeId, NodeId>, std::vector<LinkUse>> hops_;
};

}  // namespace fredsim
