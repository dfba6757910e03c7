// SPDX-License-Identifier: Apache-2.0
#include "runner/work_flows.h"

#include <type_traits>
#include <utility>

#include "base/error.h"
#include "runner/flow_engine.h"
#include "runner/flow_results.h"
#include "runner/interrupt.h"
#include "systems/make_plan.h"
#include "systems/system_plan_size.h"

namespace fredsim {

AnyPlan plan_of_work(const Topology& topology, const WorkOptions& work, std::uint64_t size,
                     std::uint64_t seed, bool has_order, bool is_flow) {
  if (has_order || work.has_order())
    return plan_steps(topology, steps_of(work, topology, size, seed), work.on_conflict,
                      is_flow ? SystemForm::kSteps : SystemForm::kExpanded);
  const std::vector<CollectiveSpec> specs = specs_of(work, topology, size, seed);
  if (is_flow && topology.has_blocks()) return plan_system(topology, specs);
  return make_plan(topology, specs, work.on_conflict);
}

RunResult WorkFlows::run(const FlowLifts& lifts) const {
  if (interrupt_flag()) throw Interrupted("interrupted");
  return std::visit(
      [&](const auto& plan) {
        if constexpr (std::is_same_v<std::decay_t<decltype(plan)>, WorkPlan>) {
          FlowEngine engine(topology_, plans_of(plan),
                            {.seed = seed_, .stop = &interrupt_flag(), .lifts = lifts});
          return run_work(engine, plan);
        } else {
          FlowRun run = run_as_flows(topology_, plan, {}, lifts);
          run.result.time_ns = run.end * (1e9 / static_cast<double>(topology_.clock_hz));
          return std::move(run.result);
        }
      },
      planned_);
}

std::string WorkFlows::algorithms_by_dimension() const {
  const auto* system = std::get_if<SystemPlan>(&planned_);
  return system != nullptr ? system->collectives.front().algorithms : std::string();
}

std::uint64_t plan_entries(const Topology& topology, const WorkOptions& work, std::uint64_t size,
                           std::uint64_t seed) {
  return plan_size(topology, specs_of(work, topology, size, seed)).entries;
}

}  // namespace fredsim
