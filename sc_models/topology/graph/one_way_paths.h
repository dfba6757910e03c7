// SPDX-License-Identifier: Apache-2.0
// Shortest paths in graphs with one-way links. Among equally short links the destination's address,
// modulo their number, selects one. Deadlock: possible; such graphs are run as flows only
// (Topology::flow_only).
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "topology/topology.h"
#include "topology/unicast_paths.h"

namespace fredsim {

class OneWayPaths final : public UnicastPaths {
 public:
  // Requires nodes and links only; ports need not be indexed yet.
  explicit OneWayPaths(const Topology& topology);

  int port(int chiplet, std::uint16_t address) const override;

 private:
  struct Exit {
    int port = 0;
    NodeId to = 0;
  };
  // Hops to an endpoint, by node; -1: no path.
  const std::vector<int>& distances(std::uint16_t address) const;

  std::vector<std::vector<Exit>> exits_;   // by node
  std::vector<std::vector<NodeId>> into_;  // by node: nodes before it
  std::vector<NodeId> endpoints_;          // by address
  mutable std::mutex mutex_;
  mutable std::map<std::uint16_t, std::vector<int>> distances_;
};

}  // namespace fredsim
