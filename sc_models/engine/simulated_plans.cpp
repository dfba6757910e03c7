// SPDX-License-Identifier: Apache-2.0
#include "engine/simulated_plans.h"

#include <algorithm>

namespace fredsim {
namespace {

int max_slices(const Topology& topology,
               std::span<const std::shared_ptr<const PreparedPlan>> plans) {
  int max = 0;
  for (const auto& plan : plans) max = std::max(max, slices_used(topology, plan->plan));
  return max;
}

std::shared_ptr<const PreparedPlan> simulated_part(const PreparedPlan& whole,
                                                   const EqualSlices& slices) {
  auto some = std::make_shared<PreparedPlan>(whole);
  some->plan = slices.simulated(whole.plan);
  some->copies = slices.copies(some->plan);
  some->missing_bytes = missing_bytes(some->plan);
  return some;
}

}  // namespace

SimulatedPlans plans_to_simulate(const Machine& machine,
                                 std::span<const std::shared_ptr<const PreparedPlan>> plans) {
  SimulatedPlans result;
  std::vector<const Plan*> whole;
  for (const auto& plan : plans) whole.push_back(&plan->plan);
  const Topology& topology = machine.topology();
  result.all = max_slices(topology, plans);
  result.slices =
      machine.leaves_slices_out() ? find_equal_slices(topology, whole) : all_slices(topology);
  for (const auto& plan : plans) {
    result.plans.push_back(result.slices.port_like.empty() ? plan
                                                           : simulated_part(*plan, result.slices));
  }
  result.simulated = max_slices(topology, result.plans);
  return result;
}

// No operation waits for the streams and rows of the parts left out.
SimulatedPlans plan_to_simulate(const Machine& machine, const Plan& plan) {
  const Topology& topology = machine.topology();
  SimulatedPlans result;
  result.slices =
      machine.leaves_slices_out() ? find_equal_slices(topology, plan) : all_slices(topology);
  Plan some = result.slices.simulated(plan);
  std::vector<int> copies = result.slices.copies(some);
  result.all = slices_used(topology, plan);
  result.simulated = slices_used(topology, some);
  result.plans.push_back(prepare(topology, std::move(some), std::move(copies)));
  return result;
}

}  // namespace fredsim
