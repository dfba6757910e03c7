// SPDX-License-Identifier: Apache-2.0
// The plans of a run as far as they have to be simulated (operations/equal_slices.h).
//
// A plan with parts left out takes as many stream numbers and loads the same rows as the whole one,
//   so that operations wait for them alike.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/machine.h"
#include "operations/equal_slices.h"
#include "operations/prepared_plan.h"

namespace fredsim {

struct SimulatedPlans {
  std::vector<std::shared_ptr<const PreparedPlan>> plans;  // order of the whole plans
  EqualSlices slices;
  int all = 0, simulated = 0;  // number of slices that the plans use, and that are simulated
};

// `plans`: all plans of the run. Returns whole plans if all slices are wanted
// (Machine::leaves_slices_out()).
SimulatedPlans plans_to_simulate(const Machine& machine,
                                 std::span<const std::shared_ptr<const PreparedPlan>> plans);

// The only plan of a run.
SimulatedPlans plan_to_simulate(const Machine& machine, const Plan& plan);

}  // namespace fredsim
