// SPDX-License-Identifier: Apache-2.0
#include "systems/system_phases.h"

#include <algorithm>
#include <vector>

#include "collective/phase_room.h"
#include "topology/system.h"

namespace fredsim {
namespace {

bool have_same_rows(const Plan& a, const Plan& b) {
  return std::ranges::equal(a.programs, b.programs, [](const auto& one, const auto& other) {
    return one.node == other.node && one.phase == other.phase && one.row == other.row;
  });
}

int phases_of(const Plan& plan) {
  int phases = 0;
  for (const PhaseProgram& program : plan.programs) phases = std::max(phases, program.phase + 1);
  return phases;
}

}  // namespace

SystemPhases::Place SystemPhases::place(int dimension, int group, const Plan& plan) {
  Group& used = groups_[{dimension, group}];
  const auto known = used.first.find(&plan);
  if (known != used.first.end()) return {known->second, false};
  // Shares the numbers of a plan with the same rows, for instance of another data size.
  for (const auto& [other, phase] : used.first) {
    if (!have_same_rows(*other, plan)) continue;
    used.first.emplace(&plan, phase);
    return {phase, false};
  }
  const int first = used.phases;
  used.phases += phases_of(plan);
  used.first.emplace(&plan, first);
  return {first, true};
}

void check_phases(const Topology& system, const SystemPlan& plan) {
  const SystemPlaces places(system);
  SystemPhases phases;
  std::vector<PhaseSwitches> switches;  // by phase
  for (const SystemStep& step : plan.steps) {
    if (step.plan->programs.empty()) continue;
    for (const int group : step.groups) {
      const SystemPhases::Place place = phases.place(step.dimension, group, *step.plan);
      if (!place.is_new) continue;
      for (const PhaseProgram& program : step.plan->programs) {
        const auto phase = static_cast<std::size_t>(place.first + program.phase);
        switches.resize(std::max(switches.size(), phase + 1));
        switches[phase].insert(places.node(step.dimension, group, program.node));
      }
    }
  }
  check_phase_room(system, switches);
}

}  // namespace fredsim
