// SPDX-License-Identifier: Apache-2.0
// Paths through switches that are joined in any way: up*/down* (Schroeder et al., Autonet, 1991).
//
// Rule: switches have an order, by their distance from the one with the most links in their plane, then by number; a link to an earlier one
//   leads up, to a later one down. A switch sends down, by the fewest links, where links that all lead down end at the destination; else
//   up, by the fewest links. Of several links that are as good the destination's address, modulo their number, chooses.
// Deadlock: none; what has gone down never goes up again, and links have the order in which they are used.
// Not all paths are shortest ones: where two switches are joined by way of later ones alone, packets go round by an earlier one.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "topology/topology.h"
#include "topology/unicast_paths.h"

namespace fredsim {

class GraphPaths final : public UnicastPaths {
 public:
  // Nodes and links suffice; ports need not be indexed yet.
  explicit GraphPaths(const Topology& topology);

  int port(int chiplet, std::uint16_t address) const override;

 private:
  struct Exit {
    int port = 0;
    NodeId to = 0;
  };
  // Links to a destination from each node: 2 x links, + 1 where the first of them leads up; kNone: no path.
  using Costs = std::vector<std::int32_t>;
  static constexpr std::int32_t kNone = -1;

  void order_switches();
  bool leads_up(NodeId from, NodeId to) const { return order_[to] < order_[from]; }
  const Costs& costs(const std::vector<NodeId>& last) const;
  Costs find_costs(const std::vector<NodeId>& last) const;

  std::vector<std::vector<Exit>> exits_;  // by switch, to switches
  std::vector<std::vector<Exit>>
      last_;  // by address: switches with a link to the endpoint, and its port there
  std::vector<std::vector<NodeId>> ends_;  // by address, the same without ports
  std::vector<int> order_;                 // by node
  std::vector<NodeId> by_order_;
  mutable std::mutex mutex_;
  mutable std::map<std::vector<NodeId>, std::unique_ptr<const Costs>> costs_;
};

}  // namespace fredsim
