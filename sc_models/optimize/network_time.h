// SPDX-License-Identifier: Apache-2.0
// Times of collectives and of jobs on networks, as a search asks for them: bounds by the busiest
// link, no simulation.
//
// Collectives that run together: what they put on the busiest link over its rate, and the latency
//   of the longest one's steps, a hop each.
// Direct network: a group that has rings of its own goes along these, in equal shares; another one
//   along one ring in its order, whose steps take the first of the shortest paths. What goes from
//   node to node takes `paths` shortest paths (optimize/direct_network.h), each in inverse
//   proportion to its links.
// Switch: an ideal one; a node's link is all there is.
// Job: longest path of its task graph; computations of a rank one after the other, operations as
//   long as they take by themselves. What operations that are under way at once do to each other is
//   not in it.
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
  // Time until all of the collectives are complete, which begin together.
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
  // Numbers of links, as shortest_paths() has them.
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
