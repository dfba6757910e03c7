// SPDX-License-Identifier: Apache-2.0
// Plans of systems (systems/system_plan.h) as flows over time: start and end of their collectives,
// and the traffic of every link.
//
// Steps: a step begins once its predecessors are complete, like a part (flow/flow_run.h), and the
//   data of all steps in SystemStep::behind has moved. It is complete once it is complete in all of
//   its groups. Groups of a dimension with the same work in every step of every plan are simulated
//   once: the first group represents all. A step whose trees cross more than kMaxTreeUses links
//   moves as one flow, all of its trees in proportion, at the rate that its busiest link allows.
// Units: cycles, with fractions.
// Errors: RunFailed, FlowSimulation's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "flow/flow_lifts.h"
#include "flow/flow_plan.h"
#include "flow/flow_run.h"
#include "flow/flow_simulation.h"
#include "flow/flow_traffic.h"
#include "systems/system_plan.h"
#include "topology/topology.h"

namespace fredsim {

inline constexpr std::size_t kMaxTreeUses = 4096;

// Links of the simulated groups, and the flows of steps on them.
class SystemNetwork {
 public:
  // Tree of a step's plan, or all of its trees joined; on links of the block.
  using StepFlow = JoinedFlow;

  // The topology and plans have to outlive it.
  SystemNetwork(const Topology& system, std::span<const SystemPlan* const> plans,
                const FlowLifts& lifts = {});

  const std::vector<double>& capacities() const { return capacities_; }
  const std::vector<double>& limits() const { return limits_; }
  const std::vector<StepFlow>& flows(const SystemStep& step) const {
    return flows_.at(step.plan.get());
  }
  // Representative groups of a step, one per set of alike groups.
  std::vector<int> groups(const SystemStep& step) const;
  int first_link(int dimension, int group) const { return first_link_.at({dimension, group}); }

 private:
  void find_alike(std::span<const SystemPlan* const> plans);
  void add_links(const SystemStep& step);

  const Topology& system_;
  // Looked up only, never iterated.
  std::map<const Plan*, std::vector<StepFlow>> flows_;
  std::vector<std::vector<int>> stands_for_;  // first alike group, by dimension and group
  std::map<std::pair<int, int>, int> first_link_;
  std::vector<double> capacities_, limits_;  // as in FairRates
};

// Plan in flight on a network.
class SystemFlows {
 public:
  struct Moving {
    int step = 0;
    const SystemNetwork::StepFlow* flow = nullptr;
  };
  struct Callbacks {
    std::function<void(FlowSimulation::Flow, const Moving&)> begun{};  // end_flow() when it ends
    std::function<void(int step)> complete{};                          // at its end
  };
  struct Step {
    std::size_t waits_for = 0;  // steps
    std::vector<int> others{};  // steps that wait for this one
    std::vector<int> next{};    // steps that wait for its flows only
    std::size_t flows_left = 0;
    double start = 0, end = 0;
  };

  // `offset`: cycles by which each step exceeds its flows (flow/calibration.h); empty: none. All
  // arguments have to outlive it.
  SystemFlows(const SystemNetwork& network, FlowSimulation& simulation, const SystemPlan& plan,
              std::span<const double> offset, Callbacks callbacks);

  // Makes a step wait for one more release(). Call before begin().
  void hold(int step) { ++steps_[step].waits_for; }
  void release(int step) { complete_before(step); }
  void begin();  // begins steps without predecessors
  void end_flow(const Moving& moved);
  const std::vector<Step>& steps() const { return steps_; }

 private:
  void begin(int step);
  void complete_before(int step);
  void move_on(int step);
  void complete(int step);

  const SystemNetwork& network_;
  FlowSimulation& simulation_;
  const SystemPlan& plan_;
  const std::span<const double> offset_;
  const Callbacks callbacks_;
  std::vector<Step> steps_;
};

// Ranks of a collective with the same steps.
struct SystemRanks {
  int collective = 0;
  std::vector<int> ranks{};
  std::vector<int> steps{};
};
std::vector<SystemRanks> ranks_by_steps(const Topology& system, const SystemPlan& plan);

// Start and end of a plan's collectives, as for the parts of a plan.
FlowTimes run_flows(const Topology& system, const SystemPlan& plan,
                    std::span<const double> offset = {}, const FlowLifts& lifts = {});

// Traffic by link and node of the system.
FlowTraffic flow_traffic(const Topology& system, const SystemPlan& plan);

}  // namespace fredsim
