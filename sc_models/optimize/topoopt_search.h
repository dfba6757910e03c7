// SPDX-License-Identifier: Apache-2.0
// Search for a strategy MP x DP x PP and a network without switches that suit each other (TopoOpt,
// NSDI 2023, §4.1).
//
// Alternating: the first strategy is the best on an ideal switch with the bandwidth of all
//   interfaces; then a network for it, the best strategy on that network, and so on, until a
//   strategy is the best on its own network (converged), or the rounds are over. The best pair of
//   all rounds is the result.
// Best on a network: simulated annealing from the strategy at hand. A step moves a prime factor
//   from one of MP, DP, PP to another; one that takes longer is accepted with probability
//   exp(-(relative loss) / temperature). Strategies that the job cannot have are never accepted.
// Each: every strategy has a network of its own, and all are compared; always converged.
// Result: the same for the same seed. Times: optimize/network_time.h.
// Errors: BadInput of the job where it can have no strategy; find_topology()'s.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "optimize/network_time.h"
#include "optimize/topology_finder.h"
#include "plan/parallelism.h"
#include "workload/task_graph.h"

namespace fredsim {

struct TopooptOptions {
  FinderOptions finder{};
  LinkSpeed link{};
  double clock_hz = 0;  // the task graphs'
  int paths = 4;        // that share what goes from node to node
  std::uint64_t seed = 1;
  int rounds = 8;
  int steps = 400;  // in an annealing
  bool each = false;
};

// Task graph of a strategy on nodes 0 to workers - 1; BadInput where the job cannot have it.
using JobOfStrategy = std::function<TaskGraph(const Strategy&)>;

struct TopooptRound {
  Strategy strategy{};
  double seconds = 0;  // on its own network
};

struct TopooptResult {
  Strategy strategy{};
  DirectTopology topology{};
  JobDemand demand{};
  double seconds = 0;          // the job on it
  double switch_seconds = 0;   // the same strategy on the ideal switch
  Strategy switch_strategy{};  // the best found there
  double best_switch_seconds = 0;
  bool converged = false;
  int evaluations = 0;  // each time of a strategy on a network, once
  std::vector<TopooptRound> rounds{};
};

// Strategies that use all nodes.
std::vector<Strategy> whole_strategies(int nodes);

// `keeps_on`: asked with the number of evaluations; false ends the search with what it has, one
// network at least, and it has not converged.
TopooptResult search_topology(int nodes, const JobOfStrategy& job, const TopooptOptions& options,
                              const std::function<bool(int)>& keeps_on = {});

}  // namespace fredsim
