// SPDX-License-Identifier: Apache-2.0
// Numbers of the phases of a system's plan: phases of the steps' plans are numbered consecutively
// within each group of a dimension; plans of a group with equal rows share their numbers.
//
// Errors: BadInput for phases that do not fit in the switches.
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
    bool is_new = true;  // no earlier plan has these phases
  };
  // `plan` must outlive the object.
  Place place(int dimension, int group, const Plan& plan);

 private:
  struct Group {
    std::map<const Plan*, int> first{};  // looked up, never iterated
    int phases = 0;
  };
  std::map<std::pair<int, int>, Group> groups_;  // by dimension and group
};

// Checks that the switches have room for all phases of a plan at once, since the plan is one
// operation.
void check_phases(const Topology& system, const SystemPlan& plan);

}  // namespace fredsim
