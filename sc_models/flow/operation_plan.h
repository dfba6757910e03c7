// SPDX-License-Identifier: Apache-2.0
// A plan prepared for its operations (flow/flow_operations.h): its trees as flows, joined if
// possible, the trees that each rank waits for, and the offset of ranks. On systems its steps, and
// their ranks.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "flow/flow_lifts.h"
#include "flow/flow_plan.h"
#include "flow/flow_simulation.h"
#include "flow/phase_turns.h"
#include "flow/system_flows.h"
#include "operations/prepared_plan.h"
#include "topology/topology.h"

namespace fredsim {

// Calibration offset of a rank over flows, by exact runs (runner/detail/machine_calibration.h).
struct RankOffset {
  double cycles = 0;  // cycles by which the rank is complete later than its flows; below 0: earlier
  // Share of a tree's data after which a rank that receives no result is complete, since its NIC
  // and downstream buffers hold the rest.
  double handed = 1;
};

struct OperationPlan {
  static constexpr FairRates::FlowClass kNoLinks = -1;  // crosses none

  struct Member {
    int rank = 0;
    bool receives = false;
  };
  struct OfTree {
    std::vector<Member> members{};
    int contributors = 0;
    double handed = 1;  // RankOffset
    // queues through which a tree in the switches leaves its NPUs, each once
    std::vector<int> queues{};
    FairRates::FlowClass flows = 0;
    int bundle = 0;
  };
  // Bundle: trees at the endpoints of a part that cross the same links. Trees that begin together
  // stay together, since their shares are proportional to their flits. A tree in the switches is a
  // bundle of its own.
  struct Bundle {
    struct Member {
      int rank = 0;
      int trees = 0;
      bool receives = false;
      TreeFlow longest{};  // received tree with the longest fill
    };
    std::vector<int> trees{};
    FairRates::FlowClass flows = 0;
    double flits = 0;
    std::vector<Member> members{};  // by rank
  };
  struct OfRank {
    int trees = 0;                 // trees of the rank; on systems 1: its last step
    std::vector<int> waits_for{};  // trees to which it contributes
  };
  // Number of the queue of a NIC port and virtual channel, new or known.
  using QueueOf = std::function<int(NodeId node, int port, int vc)>;

  // Registers its flows with the simulation, and its phases with the turns.
  OperationPlan(const Topology& topology, std::shared_ptr<const PreparedPlan> of,
                FlowSimulation& simulation, PhaseTurns& turns, const QueueOf& queue_of,
                const FlowLifts& lifts = {});
  void set_offset(std::vector<std::vector<RankOffset>> of_ranks);

  std::shared_ptr<const PreparedPlan> plan{};
  std::vector<TreeFlow> flows{};
  std::vector<PhaseTurns::Stays> stays{};  // by part
  std::vector<OfTree> trees{};
  std::vector<Bundle> bundles{};
  std::vector<std::vector<OfRank>> ranks{};         // by part
  std::vector<std::pair<int, int>> in_queue{};      // by queue: trees
  std::vector<std::vector<RankOffset>> offset{};    // by part and rank; empty: none
  std::vector<double> step_offset{};                // cycles by step, on systems; empty: none
  std::vector<SystemRanks> system_ranks{};          // on systems
  std::vector<std::vector<int>> system_ranks_of{};  // by part and rank: place in it
  std::vector<std::vector<int>> ranks_in_step{};    // by step: places in system_ranks
  std::uint64_t bytes = 0;                          // bytes of results
  std::uint64_t times = 0, cycles = 0;              // FlowOperations::Issued

 private:
  void find_steps(const Topology& topology);
  void find_trees(const QueueOf& queue_of);
  void bundle_trees(FlowSimulation& simulation);
};

}  // namespace fredsim
