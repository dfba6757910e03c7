// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "systems/system_phases.h"
#include "systems/system_plan.h"
#include "topology/system.h"

namespace fredsim {
namespace {

// Copies a step's plan into a plan of the system, for one of its groups.
class Expansion {
 public:
  Expansion(const Topology& system, const SystemPlan& from)
      : system_(system), places_(system), from_(from) {}

  Plan expand() {
    plan_.notes = from_.notes;
    plan_.bound_ns = from_.bound_ns;
    plan_.collectives = from_.collectives;
    for (const SystemStep& step : from_.steps) add(step);
    return std::move(plan_);
  }

 private:
  void add(const SystemStep& step) {
    auto& first = first_part_.emplace_back();
    for (const int group : step.groups) {
      const int begin = static_cast<int>(plan_.parts.size());
      first.emplace(group, begin);
      const int first_phase = add_programs(step, group);
      for (const Part& part : step.plan->parts) add_part(step, group, part);
      for (const Tree& tree : step.plan->trees) {
        Tree& copy = plan_.trees.emplace_back(tree);
        copy.part += begin;
        for (TreeRank& rank : copy.ranks) place(step, first_phase, rank);
      }
    }
  }

  void add_part(const SystemStep& step, int group, const Part& part) {
    Part copy = part;
    copy.dimension = step.dimension;
    copy.collective_of = step.collectives;
    for (NodeId& member : copy.members) member = places_.node(step.dimension, group, member);
    for (const int before : step.after) add_dependencies(before, copy);
    for (const int before : step.settled) add_dependencies(before, copy);
    plan_.parts.push_back(std::move(copy));
  }

  // Earlier parts of a step that share a member, or a block with phases.
  void add_dependencies(int before, Part& part) const {
    const SystemStep& step = from_.steps[before];
    const auto parts = static_cast<int>(step.plan->parts.size());
    std::set<int> groups;
    for (const NodeId member : part.members) groups.insert(places_.group(member, step.dimension));
    for (const int group : groups) {
      const auto first = first_part_[before].find(group);
      if (first == first_part_[before].end()) continue;
      for (int p = first->second; p < first->second + parts; ++p) part.after.push_back(p);
    }
  }

  // Number of the first phase of a step's plan.
  int add_programs(const SystemStep& step, int group) {
    if (step.plan->programs.empty()) return 0;
    const SystemPhases::Place place = phases_.place(step.dimension, group, *step.plan);
    if (!place.is_new) return place.first;
    for (PhaseProgram program : step.plan->programs) {
      program.phase += place.first;
      program.node = places_.node(step.dimension, group, program.node);
      plan_.programs.push_back(std::move(program));
    }
    return place.first;
  }

  void place(const SystemStep& step, int first_phase, TreeRank& rank) const {
    const int first_port = system_.blocks[step.dimension].first_port;
    for (auto* sends :
         {&rank.reduce_to, &rank.broadcast_to, &rank.acknowledge_sums, &rank.acknowledge_results})
      for (Send& send : *sends) send.port += first_port;
    if (rank.switch_port < 0) return;
    rank.switch_port += first_port;
    rank.phase += first_phase;
  }

  const Topology& system_;
  const SystemPlaces places_;
  const SystemPlan& from_;
  std::vector<std::map<int, int>> first_part_;  // by step and group
  SystemPhases phases_;
  Plan plan_;
};

}  // namespace

Plan expanded(const Topology& system, const SystemPlan& plan) {
  return Expansion(system, plan).expand();
}

}  // namespace fredsim
