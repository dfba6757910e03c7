// SPDX-License-Identifier: Apache-2.0
// Plans of systems (systems/system_plan.h) as flows over time: when their collectives begin and
// end, and the traffic of every link.
//
// A step begins once those that it comes after are complete, as a part does (flow/flow_run.h), and
// those that it is behind have moved. Groups of a dimension that are alike, in every step of every
// plan, are one: what happens in the first of them happens in all. A step is complete once it is in
// all of its groups. A step whose trees cross more than kMaxTreeUses links moves as one flow, all
// of its trees in proportion, at the rate that its busiest link leaves it.
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

// Links of the groups that are simulated, and what the steps of plans move over them.
class SystemNetwork {
 public:
  // A tree of a step's plan, or all of the plan's at once; on links of the block.
  using StepFlow = JoinedFlow;

  // Topology and plans outlive it.
  SystemNetwork(const Topology& system, std::span<const SystemPlan* const> plans,
                const FlowLifts& lifts = {});

  const std::vector<double>& capacities() const { return capacities_; }
  const std::vector<double>& limits() const { return limits_; }
  const std::vector<StepFlow>& flows(const SystemStep& step) const {
    return flows_.at(step.plan.get());
  }
  // One group of a step for all that are alike.
  std::vector<int> groups(const SystemStep& step) const;
  int first_link(int dimension, int group) const { return first_link_.at({dimension, group}); }

 private:
  void find_alike(std::span<const SystemPlan* const> plans);
  void add_links(const SystemStep& step);

  const Topology& system_;
  // Looked up alone, never gone through.
  std::map<const Plan*, std::vector<StepFlow>> flows_;
  std::vector<std::vector<int>> stands_for_;  // by dimension and group: the first that is alike
  std::map<std::pair<int, int>, int> first_link_;
  std::vector<double> capacities_, limits_;  // as of FairRates
};

// A plan of a network under way.
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
    std::vector<int> others{};  // that wait for it
    std::vector<int> next{};    // that wait for its flows
    std::size_t flows_left = 0;
    double start = 0, end = 0;
  };

  // `surplus`: cycles by which each step takes longer than its flows (flow/calibration.h); empty:
  // none. All outlive it.
  SystemFlows(const SystemNetwork& network, FlowSimulation& simulation, const SystemPlan& plan,
              std::span<const double> surplus, Callbacks callbacks);

  // Before begin(): a step waits for one release() more.
  void hold(int step) { ++steps_[step].waits_for; }
  void release(int step) { complete_before(step); }
  void begin();  // steps that wait for nothing
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
  const std::span<const double> surplus_;
  const Callbacks callbacks_;
  std::vector<Step> steps_;
};

// Ranks of a collective that take part in the same steps.
struct SystemRanks {
  int collective = 0;
  std::vector<int> ranks{};
  std::vector<int> steps{};
};
std::vector<SystemRanks> ranks_by_steps(const Topology& system, const SystemPlan& plan);

// As of a plan; parts are the collectives.
FlowTimes run_flows(const Topology& system, const SystemPlan& plan,
                    std::span<const double> surplus = {}, const FlowLifts& lifts = {});

// By link and node of the system.
FlowTraffic flow_traffic(const Topology& system, const SystemPlan& plan);

}  // namespace fredsim
