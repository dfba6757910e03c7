// SPDX-License-Identifier: Apache-2.0
#include "flow/phase_turns.h"

#include <algorithm>
#include <cassert>
#include <set>

#include "plan/link_walk.h"
#include "switch/node_shape.h"

namespace fredsim {
namespace {

constexpr double kUnlimited = 1e9;  // parts at a time, where all phases are in use

// A part in a switch.
struct Crossing {
  std::map<int, double> cycles{};  // cycles that its trees keep each input link busy
  double flits = 0;                // trees that cross the switch
};

std::set<int> phases_of(const Tree& tree) {
  std::set<int> phases;
  for (const TreeRank& rank : tree.ranks)
    if (rank.switch_port >= 0 && rank.contributes) phases.insert(rank.phase);
  return phases;
}

}  // namespace

PhaseTurns::PhaseTurns(const Topology& topology, bool is_lifted)
    : topology_(topology),
      has_turns_(!is_lifted && topology.flow_only.empty() && adds_in_switches(topology)),
      in_use_(phases_in_use(topology)) {}

std::vector<double> PhaseTurns::capacities() const {
  std::vector<double> capacities = flow_capacities(topology_);
  if (has_turns_) capacities.resize(capacities.size() + topology_.nodes.size(), kUnlimited);
  return capacities;
}

std::vector<PhaseTurns::Stays> PhaseTurns::add(const Plan& plan, std::vector<TreeFlow>& flows) {
  std::vector<Stays> stays(plan.parts.size());
  if (plan.programs.empty() || !has_turns_) return stays;
  const LinkWalk walk(topology_, plan, false);
  std::vector<std::map<NodeId, Crossing>> crossings(plan.parts.size());
  std::vector<std::set<NodeId>> crossed(plan.trees.size());  // by tree
  std::vector<std::set<int>> phases(plan.parts.size());
  for (std::size_t t = 0; t < plan.trees.size(); ++t) {
    const Tree& tree = plan.trees[t];
    if (tree.transport != Transport::kInSwitch) continue;
    const auto flits = static_cast<double>(tree.flits);
    phases[tree.part].merge(phases_of(tree));
    walk.walk_in_switch(tree, [&](int number) {
      const Link& link = topology_.links[number];
      if (topology_.nodes[link.to].is_endpoint()) return;
      crossings[tree.part][link.to].cycles[number] += flits / link.flit_rate().value();
      crossed[t].insert(link.to);
    });
    for (const NodeId node : crossed[t]) crossings[tree.part][node].flits += flits;
  }
  std::map<std::pair<NodeId, int>, const PhaseProgram*> programs;
  for (const PhaseProgram& program : plan.programs)
    programs[{program.node, program.phase}] = &program;
  for (std::size_t p = 0; p < stays.size(); ++p) {
    for (const auto& [node, crossing] : crossings[p]) {
      std::vector<std::uint32_t> rows;
      for (const int phase : phases[p]) {
        const auto program = programs.find({node, phase});
        if (program == programs.end()) continue;
        rows.insert(rows.end(), program->second->row.begin(), program->second->row.end());
      }
      const auto number = phases_.try_emplace({node, std::move(rows)}, std::ssize(phases_));
      stays[p].push_back({node, number.first->second});
    }
  }
  for (std::size_t t = 0; t < plan.trees.size(); ++t) {
    TreeFlow& flow = flows[t];
    for (const NodeId node : crossed[t]) {
      const Crossing& crossing = crossings[flow.part].at(node);
      double busiest = 0;
      for (const auto& [link, cycles] : crossing.cycles) busiest = std::max(busiest, cycles);
      flow.demand.uses.push_back({link_of(node), busiest / crossing.flits});
    }
  }
  return stays;
}

void PhaseTurns::begin(const Part& part, const Stays& stays, FlowSimulation& simulation) {
  for (const Stay& stay : stays) {
    ++users_[stay.node][{part.vc, stay.phases}];
    set_capacity(stay.node, simulation);
  }
}

void PhaseTurns::end(const Part& part, const Stays& stays, FlowSimulation& simulation) {
  for (const Stay& stay : stays) {
    Users& users = users_.at(stay.node);
    const auto at = users.find({part.vc, stay.phases});
    assert(at != users.end());
    if (--at->second == 0) users.erase(at);
    set_capacity(stay.node, simulation);
  }
}

void PhaseTurns::add_state(StateDigest& digest) const {
  for (const auto& [node, users] : users_) {
    digest.add(static_cast<std::uint64_t>(node) << 32U | users.size());
    for (const auto& [user, parts] : users) {
      digest.add(static_cast<std::uint64_t>(user.first) << 32U |
                 static_cast<std::uint32_t>(user.second));
      digest.add(static_cast<std::uint64_t>(parts));
    }
  }
}

// Sets the capacity for the virtual channel of highest priority; lower ones use the remainder.
void PhaseTurns::set_capacity(NodeId node, FlowSimulation& simulation) const {
  const Users& users = users_.at(node);
  double capacity = kUnlimited;
  if (std::ssize(users) > in_use_) {
    int parts = 0, phases = 0;
    const int first = users.begin()->first.first;
    for (auto user = users.begin(); user != users.end() && user->first.first == first; ++user) {
      parts += user->second;
      ++phases;
    }
    capacity = static_cast<double>(in_use_) * parts / phases;
  }
  simulation.set_capacity(link_of(node), capacity);
}

}  // namespace fredsim
