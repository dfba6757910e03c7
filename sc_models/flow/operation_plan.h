// SPDX-License-Identifier: Apache-2.0
// A plan as operations of it move it (flow/flow_operations.h): its trees as flows, those that can
// be one joined, which ranks wait for which, and their surplus. On systems its steps, and who takes
// part in them.
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

// Surplus of a rank over flows, by exact runs (runner/detail/machine_calibration.h).
struct RankSurplus {
  double cycles = 0;  // by which it is complete later than its flows; below 0: earlier
  // For a rank that sees no result: share of what it sends after which it is complete, since a NIC
  // and what is behind it take the rest.
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
    double handed = 1;          // RankSurplus
    std::vector<int> queues{};  // trees in the switches: those that it leaves by, each once
    FairRates::FlowClass flows = 0;
    int bundle = 0;
  };
  // Trees at the endpoints of a part that cross the same links, which where they begin together
  // keep together: their shares are in proportion to their flits. A tree in the switches is one by
  // itself.
  struct Bundle {
    struct Member {
      int rank = 0;
      int trees = 0;
      bool receives = false;
      TreeFlow longest{};  // longest that it receives, by fill
    };
    std::vector<int> trees{};
    FairRates::FlowClass flows = 0;
    double flits = 0;
    std::vector<Member> members{};  // by rank
  };
  struct OfRank {
    int trees = 0;                 // that it has a part in; on systems 1: its last step
    std::vector<int> waits_for{};  // trees to which it contributes
  };
  // Number of the queue of a NIC port and virtual channel, new or known.
  using QueueOf = std::function<int(NodeId node, int port, int vc)>;

  // Its flows are kept in the simulation, its phases known to the turns.
  OperationPlan(const Topology& topology, std::shared_ptr<const PreparedPlan> of,
                FlowSimulation& simulation, PhaseTurns& turns, const QueueOf& queue_of,
                const FlowLifts& lifts = {});
  void set_surplus(std::vector<std::vector<RankSurplus>> of_ranks);

  std::shared_ptr<const PreparedPlan> plan{};
  std::vector<TreeFlow> flows{};
  std::vector<PhaseTurns::Stays> stays{};  // by part
  std::vector<OfTree> trees{};
  std::vector<Bundle> bundles{};
  std::vector<std::vector<OfRank>> ranks{};         // by part
  std::vector<std::pair<int, int>> in_queue{};      // by queue: trees
  std::vector<std::vector<RankSurplus>> surplus{};  // by part and rank; empty: none
  std::vector<double> step_surplus{};               // cycles by step, on systems; empty: none
  std::vector<SystemRanks> system_ranks{};          // on systems
  std::vector<std::vector<int>> system_ranks_of{};  // by part and rank: place in it
  std::vector<std::vector<int>> ranks_in_step{};    // by step: places in system_ranks
  std::uint64_t bytes = 0;                          // of results
  std::uint64_t times = 0, cycles = 0;              // Issued

 private:
  void find_steps(const Topology& topology);
  void find_trees(const QueueOf& queue_of);
  void bundle_trees(FlowSimulation& simulation);
};

}  // namespace fredsim
