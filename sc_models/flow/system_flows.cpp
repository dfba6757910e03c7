// SPDX-License-Identifier: Apache-2.0
#include "flow/system_flows.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "flow/flow_plan.h"
#include "flow/flow_simulation.h"
#include "topology/system.h"

namespace fredsim {
namespace {

// Trees of a part of a plan, or all of a plan's at once.
struct StepFlow {
  FairRates::Demand demand{};
  double flits = 0;
  TreeFlow slowest[2]{};  // by TreeFlow::overlaps, that with the longest fill
};

std::size_t uses_in(const std::vector<TreeFlow>& trees) {
  std::size_t uses = 0;
  for (const TreeFlow& tree : trees) uses += tree.demand.uses.size();
  return uses;
}

void note_fill(const TreeFlow& tree, StepFlow& flow) {
  TreeFlow& slowest = flow.slowest[tree.overlaps ? 1 : 0];
  slowest.overlaps = tree.overlaps;
  slowest.fill = std::max(slowest.fill, tree.fill);
}

// All trees in proportion to their flits.
StepFlow joined(const std::vector<TreeFlow>& trees) {
  StepFlow flow;
  std::map<int, double> crossings;
  for (const TreeFlow& tree : trees) {
    flow.flits += tree.flits;
    for (const LinkUse& use : tree.demand.uses) crossings[use.link] += use.crossings * tree.flits;
    note_fill(tree, flow);
  }
  flow.demand.priority = trees.front().demand.priority;
  for (const auto& [link, flits] : crossings)
    flow.demand.uses.push_back({link, flits / flow.flits});
  return flow;
}

std::vector<StepFlow> flows_of_step(const Topology& block, const Plan& plan) {
  std::vector<StepFlow> flows;
  const std::vector<TreeFlow> trees = flows_of(block, plan);
  if (trees.empty()) return flows;
  if (uses_in(trees) > kMaxTreeUses) return {joined(trees)};
  for (const TreeFlow& tree : trees) {
    StepFlow& flow = flows.emplace_back();
    flow.demand = tree.demand;
    flow.flits = tree.flits;
    note_fill(tree, flow);
  }
  return flows;
}

class SystemRun {
 public:
  SystemRun(const Topology& system, const SystemPlan& plan, std::span<const double> surplus)
      : system_(system), plan_(plan), surplus_(surplus), steps_(plan.steps.size()) {
    for (int s = 0; s < std::ssize(steps_); ++s) {
      const SystemStep& step = plan.steps[s];
      auto& flows = flows_[step.plan.get()];
      if (flows.empty()) flows = flows_of_step(*system.blocks[step.dimension].topology, *step.plan);
      steps_[s].waits_for = step.after.size();
      for (const int before : step.after) steps_[before].others.push_back(s);
    }
    find_separate();
    make_links();
  }

  SystemTimes run() {
    FlowSimulation simulation(capacities_);
    simulation_ = &simulation;
    simulation.on_end([this](FlowSimulation::Flow flow) { end_flow(flow); });
    for (int s = 0; s < std::ssize(steps_); ++s)
      if (steps_[s].waits_for == 0) begin(s);
    simulation.run();
    return times();
  }

 private:
  struct Step {
    std::size_t waits_for = 0;  // steps
    std::vector<int> others{};  // that wait for it
    std::size_t flows_left = 0;
    double start = 0, end = 0;
  };
  struct Begun {
    int step = 0;
    const StepFlow* flow = nullptr;
  };

  // Dimensions of which some groups take part in a step without others that take part in another one with them.
  void find_separate() {
    std::map<std::pair<int, int>, std::vector<int>> groups_of;  // by dimension and group
    for (const SystemStep& step : plan_.steps) {
      for (const int group : step.groups) {
        const auto [known, is_new] = groups_of.try_emplace({step.dimension, group}, step.groups);
        if (!is_new && known->second != step.groups) separate_.insert(step.dimension);
      }
    }
  }

  std::vector<int> simulated_groups(const SystemStep& step) const {
    return separate_.contains(step.dimension) ? step.groups : std::vector{step.groups.front()};
  }

  void make_links() {
    for (const SystemStep& step : plan_.steps) {
      const Topology& block = *system_.blocks[step.dimension].topology;
      for (const int group : simulated_groups(step)) {
        const auto first = static_cast<int>(capacities_.size());
        if (!first_link_.try_emplace({step.dimension, group}, first).second) continue;
        const std::vector<double> of_block = flow_capacities(block);
        capacities_.insert(capacities_.end(), of_block.begin(), of_block.end());
      }
    }
  }

  void begin(int s) {
    Step& state = steps_[s];
    const SystemStep& step = plan_.steps[s];
    state.start = state.end = simulation_->now();
    const std::vector<StepFlow>& flows = flows_.at(step.plan.get());
    const std::vector<int> groups = simulated_groups(step);
    state.flows_left = flows.size() * groups.size();
    if (state.flows_left == 0) return complete(s);
    for (const int group : groups) {
      const int first = first_link_.at({step.dimension, group});
      for (const StepFlow& flow : flows) {
        FairRates::Demand demand = flow.demand;
        for (LinkUse& use : demand.uses) use.link += first;
        begun_.push_back({s, &flow});
        simulation_->begin(demand, flow.flits);
      }
    }
  }

  void end_flow(FlowSimulation::Flow flow) {
    const auto& [s, of] = begun_[flow];
    Step& state = steps_[s];
    const double moved = simulation_->now() - state.start;
    for (const TreeFlow& slowest : of->slowest)
      state.end = std::max(state.end, state.start + with_fill(slowest, moved));
    if (--state.flows_left > 0) return;
    if (!surplus_.empty()) state.end = std::max(state.start, state.end + surplus_[s]);
    const int step = s;
    simulation_->call_at(state.end, [this, step] { complete(step); });
  }

  void complete(int s) {
    for (const int other : steps_[s].others)
      if (--steps_[other].waits_for == 0) begin(other);
  }

  SystemTimes times() const {
    SystemTimes times;
    times.collectives.resize(plan_.collectives.size());
    std::vector<bool> has_begun(plan_.collectives.size());
    for (int s = 0; s < std::ssize(steps_); ++s) {
      for (const int one : plan_.steps[s].collectives) {
        FlowTimes::Part& part = times.collectives[one];
        part.start = has_begun[one] ? std::min(part.start, steps_[s].start) : steps_[s].start;
        part.end = std::max(part.end, steps_[s].end);
        has_begun[one] = true;
      }
      times.end = std::max(times.end, steps_[s].end);
    }
    times.flows = simulation_->flows();
    times.updates = simulation_->updates();
    return times;
  }

  const Topology& system_;
  const SystemPlan& plan_;
  const std::span<const double> surplus_;
  std::vector<Step> steps_;
  std::map<const Plan*, std::vector<StepFlow>> flows_;  // looked up alone
  std::set<int> separate_;
  std::map<std::pair<int, int>, int> first_link_;  // by dimension and group
  std::vector<double> capacities_;
  std::vector<Begun> begun_;  // by flow
  FlowSimulation* simulation_ = nullptr;
};

}  // namespace

SystemTimes run_system_flows(const Topology& system, const SystemPlan& plan,
                             std::span<const double> surplus) {
  return SystemRun(system, plan, surplus).run();
}

FlowTraffic system_traffic(const Topology& system, const SystemPlan& plan) {
  const SystemPlaces places(system);
  FlowTraffic traffic{.flits = std::vector<std::uint64_t>(system.links.size()),
                      .bytes = std::vector<std::uint64_t>(system.links.size()),
                      .acknowledgements = std::vector<std::uint64_t>(system.nodes.size())};
  std::map<std::pair<int, const Plan*>, std::map<int, std::uint64_t>> times;
  for (const SystemStep& step : plan.steps) {
    auto& of_groups = times[{step.dimension, step.plan.get()}];
    for (const int group : step.groups) ++of_groups[group];
  }
  for (const auto& [key, of_groups] : times) {
    const auto& [dimension, of_plan] = key;
    const FlowTraffic one = flow_traffic(*system.blocks[dimension].topology, *of_plan);
    for (const auto& [group, count] : of_groups) {
      for (int link = 0; link < std::ssize(one.flits); ++link) {
        traffic.flits[places.link(dimension, group, link)] += count * one.flits[link];
        traffic.bytes[places.link(dimension, group, link)] += count * one.bytes[link];
      }
      for (NodeId node = 0; node < std::ssize(one.acknowledgements); ++node) {
        traffic.acknowledgements[places.node(dimension, group, node)] +=
            count * one.acknowledgements[node];
      }
      traffic.result_bytes += count * one.result_bytes;
    }
  }
  return traffic;
}

}  // namespace fredsim
