// SPDX-License-Identifier: Apache-2.0
// Numbers of the phases of a system's plan: those of each step's plan follow each other, by group
// of its dimension; plans of a group with equal rows share them.
//
// Errors: BadInput for phases that the switches have no room for.
#pragma once

#include <map>
#include <utility>

#include "systems/system_plan.h"
#include "topology/topology.h"

namespace fredsim {

class SystemPhases {
 public:
  struct Place {
    int first = 0;       // number of the plan's phase 0
    bool is_new = true;  // no plan before has it
  };
  // `plan` must outlive this.
  Place place(int dimension, int group, const Plan& plan);

 private:
  struct Group {
    std::map<const Plan*, int> first{};  // looked up alone
    int phases = 0;
  };
  std::map<std::pair<int, int>, Group> groups_;  // by dimension and group
};

// All that a plan needs are in the switches at once, since it is one operation.
void check_phases(const Topology& system, const SystemPlan& plan);

}  // namespace fredsim
