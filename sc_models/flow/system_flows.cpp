// SPDX-License-Identifier: Apache-2.0
#include "flow/system_flows.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "topology/system.h"

namespace fredsim {
namespace {

using StepFlow = SystemNetwork::StepFlow;

std::vector<StepFlow> flows_of_step(const Topology& block, const Plan& plan,
                                    const FlowLifts& lifts) {
  std::vector<StepFlow> flows;
  if (auto joined = joined_flow(block, plan, kMaxTreeUses, lifts)) return {std::move(*joined)};
  for (const TreeFlow& tree : flows_of(block, plan, false, lifts)) {
    StepFlow& flow = flows.emplace_back();
    flow.demand = tree.demand;
    flow.flits = tree.flits;
    flow.note_fill(tree.overlaps, tree.fill);
  }
  return flows;
}

}  // namespace

// ---- network

SystemNetwork::SystemNetwork(const Topology& system, std::span<const SystemPlan* const> plans,
                             const FlowLifts& lifts)
    : system_(system) {
  find_alike(plans);
  for (const SystemPlan* plan : plans) {
    for (const SystemStep& step : plan->steps) {
      auto& flows = flows_[step.plan.get()];
      if (flows.empty())
        flows = flows_of_step(*system.blocks[step.dimension].topology, *step.plan, lifts);
      add_links(step);
    }
  }
}

// Finds alike groups: groups that the plans' sets of groups cannot tell apart.
void SystemNetwork::find_alike(std::span<const SystemPlan* const> plans) {
  const SystemPlaces places(system_);
  std::vector<std::set<std::vector<int>>> sets(static_cast<std::size_t>(places.dimensions()));
  for (const SystemPlan* plan : plans)
    for (const SystemStep& step : plan->steps) sets[step.dimension].insert(step.groups);
  for (int d = 0; d < places.dimensions(); ++d) {
    std::vector<int>& first = stands_for_.emplace_back(places.groups(d), 0);
    for (const std::vector<int>& groups : sets[d]) {
      std::vector<bool> is_in(first.size());
      for (const int group : groups) is_in[group] = true;
      std::map<std::pair<int, bool>, int> divided;
      for (int g = 0; g < std::ssize(first); ++g)
        first[g] = divided.try_emplace({first[g], is_in[g]}, g).first->second;
    }
  }
}

std::vector<int> SystemNetwork::groups(const SystemStep& step) const {
  std::vector<int> groups;
  for (const int group : step.groups)
    if (stands_for_[step.dimension][group] == group) groups.push_back(group);
  return groups;
}

void SystemNetwork::add_links(const SystemStep& step) {
  for (const int group : groups(step)) {
    const auto first = static_cast<int>(capacities_.size());
    if (!first_link_.try_emplace({step.dimension, group}, first).second) continue;
    const std::vector<double> of_block = flow_capacities(*system_.blocks[step.dimension].topology);
    capacities_.insert(capacities_.end(), of_block.begin(), of_block.end());
    const std::vector<double> limits = credit_limits(*system_.blocks[step.dimension].topology);
    limits_.insert(limits_.end(), limits.begin(), limits.end());
  }
}

// ---- a plan under way

SystemFlows::SystemFlows(const SystemNetwork& network, FlowSimulation& simulation,
                         const SystemPlan& plan, std::span<const double> offset,
                         Callbacks callbacks)
    : network_(network),
      simulation_(simulation),
      plan_(plan),
      offset_(offset),
      callbacks_(std::move(callbacks)),
      steps_(plan.steps.size()) {
  for (int s = 0; s < std::ssize(steps_); ++s) {
    const SystemStep& step = plan.steps[s];
    steps_[s].waits_for = step.after.size() + step.behind.size();
    for (const int before : step.after) steps_[before].others.push_back(s);
    for (const int before : step.behind) steps_[before].next.push_back(s);
  }
}

void SystemFlows::begin() {
  for (int s = 0; s < std::ssize(steps_); ++s)
    if (steps_[s].waits_for == 0) begin(s);
}

void SystemFlows::begin(int s) {
  Step& state = steps_[s];
  const SystemStep& step = plan_.steps[s];
  state.start = state.end = simulation_.now();
  const std::vector<StepFlow>& flows = network_.flows(step);
  const std::vector<int> groups = network_.groups(step);
  state.flows_left = flows.size() * groups.size();
  if (state.flows_left == 0) {
    move_on(s);
    return complete(s);
  }
  for (const int group : groups) {
    const int first = network_.first_link(step.dimension, group);
    for (const StepFlow& flow : flows) {
      FairRates::Demand demand = flow.demand;
      for (LinkUse& use : demand.uses) use.link += first;
      callbacks_.begun(simulation_.begin(demand, flow.flits), {s, &flow});
    }
  }
}

void SystemFlows::end_flow(const Moving& moved) {
  Step& state = steps_[moved.step];
  const double time = simulation_.now() - state.start;
  for (const TreeFlow& slowest : moved.flow->slowest)
    state.end = std::max(state.end, state.start + with_fill(slowest, time));
  if (--state.flows_left > 0) return;
  if (!offset_.empty()) state.end = std::max(state.start, state.end + offset_[moved.step]);
  simulation_.call_at(state.end, [this, step = moved.step] { complete(step); });
  move_on(moved.step);
}

void SystemFlows::move_on(int s) {
  for (const int next : steps_[s].next) complete_before(next);
}

void SystemFlows::complete_before(int s) {
  if (--steps_[s].waits_for == 0) begin(s);
}

void SystemFlows::complete(int s) {
  for (const int other : steps_[s].others) complete_before(other);
  if (callbacks_.complete) callbacks_.complete(s);
}

std::vector<SystemRanks> ranks_by_steps(const Topology& system, const SystemPlan& plan) {
  const SystemPlaces places(system);
  std::vector<std::map<NodeId, int>> rank_of;        // by collective
  std::vector<std::vector<std::vector<int>>> steps;  // by collective and rank
  for (const Part& collective : plan.collectives) {
    auto& ranks = rank_of.emplace_back();
    for (int r = 0; r < std::ssize(collective.members); ++r) ranks[collective.members[r]] = r;
    steps.emplace_back(collective.members.size());
  }
  for (int s = 0; s < std::ssize(plan.steps); ++s) {
    const SystemStep& step = plan.steps[s];
    for (const int group : step.groups) {
      for (const Part& part : step.plan->parts) {
        for (const NodeId member : part.members) {
          const NodeId npu = places.node(step.dimension, group, member);
          for (const int one : step.collectives)
            if (const auto at = rank_of[one].find(npu); at != rank_of[one].end())
              steps[one][at->second].push_back(s);
        }
      }
    }
  }
  std::vector<SystemRanks> all;
  for (int c = 0; c < std::ssize(steps); ++c) {
    std::map<std::vector<int>, std::vector<int>> by_steps;
    for (int r = 0; r < std::ssize(steps[c]); ++r) by_steps[steps[c][r]].push_back(r);
    for (auto& [of, ranks] : by_steps) all.push_back({c, std::move(ranks), of});
  }
  return all;
}

FlowTimes run_flows(const Topology& system, const SystemPlan& plan, std::span<const double> offset,
                    const FlowLifts& lifts) {
  const SystemPlan* const plans[] = {&plan};
  const SystemNetwork network(system, plans, lifts);
  FlowSimulation simulation(network.capacities(), network.limits());
  std::unordered_map<FlowSimulation::Flow, SystemFlows::Moving> moving;
  SystemFlows flows(network, simulation, plan, offset,
                    {.begun = [&](FlowSimulation::Flow flow, const SystemFlows::Moving& moved) {
                      moving.emplace(flow, moved);
                    }});
  simulation.on_end(
      [&](FlowSimulation::Flow flow) { flows.end_flow(moving.extract(flow).mapped()); });
  flows.begin();
  simulation.run();
  FlowTimes times;
  times.parts.resize(plan.collectives.size());
  std::vector<bool> has_begun(plan.collectives.size());
  for (std::size_t s = 0; s < plan.steps.size(); ++s) {
    const SystemFlows::Step& step = flows.steps()[s];
    for (const int one : plan.steps[s].collectives) {
      FlowTimes::Part& part = times.parts[one];
      part.start = has_begun[one] ? std::min(part.start, step.start) : step.start;
      part.end = std::max(part.end, step.end);
      has_begun[one] = true;
    }
    times.end = std::max(times.end, step.end);
  }
  times.flows = simulation.flows();
  times.updates = simulation.updates();
  return times;
}

FlowTraffic flow_traffic(const Topology& system, const SystemPlan& plan) {
  const SystemPlaces places(system);
  FlowTraffic traffic = no_traffic(system);
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
