// SPDX-License-Identifier: Apache-2.0
// Times of collectives and jobs on candidate networks of a search: bounds by the busiest link, no
// simulation.
//
// Concurrent collectives: their load on the busiest link over its rate, and the latency of the
//   longest collective's steps, one hop each.
// Direct network: a group with rings of its own uses them in equal shares; a group without uses
//   one ring in its order, whose steps take the first shortest path. Point-to-point traffic takes
//   `paths` shortest paths (optimize/direct_network.h), each in inverse proportion to its links.
// Switch: an ideal one; only the nodes' links limit it.
// Job: critical path of its task graph. The computations of a rank are serial, and an operation
//   takes its time in isolation: contention between concurrent operations is not modelled.
// Units: seconds, bytes per second.
#pragma once

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "optimize/topology_finder.h"
#include "plan/collective_spec.h"
#include "workload/task_graph.h"

namespace fredsim {

struct LinkSpeed {
  double bytes_per_second = 0;  // one link
  double latency = 0;           // one hop
};

class NetworkTimes {
 public:
  NetworkTimes() = default;
  virtual ~NetworkTimes() = default;
  NetworkTimes(const NetworkTimes&) = delete;
  NetworkTimes& operator=(const NetworkTimes&) = delete;
  // Time to complete collectives that begin together.
  virtual double seconds(std::span<const CollectiveSpec> together) = 0;
};

class SwitchTimes final : public NetworkTimes {
 public:
  SwitchTimes(int nodes, LinkSpeed speed) : nodes_(nodes), speed_(speed) {}
  double seconds(std::span<const CollectiveSpec> together) override;

 private:
  int nodes_;
  LinkSpeed speed_;
};

class DirectTimes final : public NetworkTimes {
 public:
  // The topology outlives it.
  DirectTimes(const DirectTopology& topology, LinkSpeed speed, int paths);
  double seconds(std::span<const CollectiveSpec> together) override;
  // Paths as link numbers, as from shortest_paths().
  const std::vector<std::vector<int>>& paths(int from, int to);

 private:
  double add_rings(const CollectiveSpec& spec, const RingSet& set);
  double add_detours(const CollectiveSpec& spec);
  double add_transfers(const CollectiveSpec& spec);

  const DirectTopology& topology_;
  LinkSpeed speed_;
  int path_count_;
  std::map<std::vector<int>, const RingSet*> set_of_;
  std::map<std::pair<int, int>, std::vector<std::vector<int>>> paths_;
  std::vector<double> loads_;  // bytes, by link
};

// One run of the graph.
double job_seconds(const TaskGraph& graph, double clock_hz, NetworkTimes& network);

}  // namespace fredsim
