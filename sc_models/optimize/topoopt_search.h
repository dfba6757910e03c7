// SPDX-License-Identifier: Apache-2.0
// Joint search for a strategy MP x DP x PP and a direct network (TopoOpt, NSDI 2023, §4.1).
//
// Alternating: the first strategy is the best on an ideal switch with the bandwidth of all
//   interfaces; then a network for it, the best strategy on that network, and so on, until a
//   strategy is the best on its own network (converged), or the rounds are used up. The best pair
//   of all rounds is the result.
// Best on a network: simulated annealing from the strategy at hand. A step moves a prime factor
//   from one of MP, DP, PP to another; a slower strategy is accepted with probability
//   exp(-(relative loss) / temperature). Strategies that the job does not allow are never accepted.
// Each: every strategy has a network of its own, and all are compared; always converged.
// Result: the same for the same seed. Times: optimize/network_time.h.
// Errors: BadInput if the job allows no strategy; find_topology()'s.
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
  double clock_hz = 0;  // clock of the task graphs
  int paths = 4;        // paths that share point-to-point traffic
  std::uint64_t seed = 1;
  int rounds = 8;
  int steps = 400;  // steps of an annealing
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
  double seconds = 0;          // time of the job on `topology`
  double switch_seconds = 0;   // time of `strategy` on the ideal switch
  Strategy switch_strategy{};  // best strategy found on the ideal switch
  double best_switch_seconds = 0;
  bool converged = false;
  int evaluations = 0;  // evaluations of a strategy on a network, each counted once
  std::vector<TopooptRound> rounds{};
};

// Strategies that use all nodes.
std::vector<Strategy> whole_strategies(int nodes);

// `keeps_on`: called with the number of evaluations; false ends the search with its result so far,
// one network at least, as not converged.
TopooptResult search_topology(int nodes, const JobOfStrategy& job, const TopooptOptions& options,
                              const std::function<bool(int)>& keeps_on = {});

}  // namespace fredsim
