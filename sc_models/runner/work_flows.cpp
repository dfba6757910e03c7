// SPDX-License-Identifier: Apache-2.0
#include "runner/work_flows.h"

#include <utility>
#include <vector>

#include "base/error.h"
#include "engine/part_results.h"
#include "flow/flow_run.h"
#include "flow/system_flows.h"
#include "runner/flow_engine.h"
#include "runner/flow_results.h"
#include "runner/interrupt.h"
#include "systems/make_plan.h"
#include "systems/system_plan_size.h"

namespace fredsim {
namespace {

std::vector<const Part*> collectives_of(const Plan& plan) {
  std::vector<const Part*> parts;
  for (const Part& part : plan.parts) parts.push_back(&part);
  return parts;
}

std::vector<const Part*> collectives_of(const SystemPlan& plan) {
  std::vector<const Part*> parts;
  for (const Part& part : plan.collectives) parts.push_back(&part);
  return parts;
}

std::vector<PartTime> times_of(const std::vector<FlowTimes::Part>& parts) {
  std::vector<PartTime> times;
  for (const FlowTimes::Part& part : parts)
    times.push_back({.start = flow_cycles(part.start), .end = flow_cycles(part.end)});
  return times;
}

}  // namespace

WorkFlows::Planned WorkFlows::plan_of(const Topology& topology, const WorkOptions& work,
                                      std::uint64_t size, std::uint64_t seed) {
  if (work.has_order())
    return plan_steps(topology, steps_of(work, topology, size, seed), work.on_conflict,
                      SystemForm::kSteps);
  const std::vector<CollectiveSpec> specs = specs_of(work, topology, size, seed);
  if (topology.has_blocks()) return plan_system(topology, specs);
  return make_plan(topology, specs, work.on_conflict);
}

WorkFlows::WorkFlows(const Topology& topology, const WorkOptions& work, std::uint64_t size,
                     std::uint64_t seed)
    : topology_(topology), seed_(seed), planned_(plan_of(topology, work, size, seed)) {}

RunResult WorkFlows::run_ordered(const WorkPlan& work, const FlowLifts& lifts) const {
  const auto plans = plans_of(work);
  FlowEngine engine(topology_, seed_, &interrupt_flag(), plans,
                    std::vector<OperationSurplus>(plans.size()), lifts);
  return run_work(engine, work);
}

double WorkFlows::ns(const FlowLifts& lifts) const {
  if (interrupt_flag()) throw Interrupted("interrupted");
  if (const auto* plan = std::get_if<Plan>(&planned_))
    return run_flows(topology_, *plan, {}, lifts).end * ns_per_cycle();
  if (const auto* plan = std::get_if<SystemPlan>(&planned_))
    return run_system_flows(topology_, *plan, {}, lifts).end * ns_per_cycle();
  return run_ordered(std::get<WorkPlan>(planned_), lifts).time_ns;
}

RunResult WorkFlows::run() const {
  if (const auto* work = std::get_if<WorkPlan>(&planned_)) return run_ordered(*work, {});
  RunResult result;
  const auto fill = [&](const auto& parts, const auto& times, double end) {
    fill_flow_run(topology_, end, result);
    result.time_ns = end * ns_per_cycle();  // not rounded up
    fill_parts(topology_, parts, times_of(times), result);
  };
  if (const auto* plan = std::get_if<Plan>(&planned_)) {
    const FlowTimes times = run_flows(topology_, *plan);
    fill(collectives_of(*plan), times.parts, times.end);
  } else {
    const auto& system = std::get<SystemPlan>(planned_);
    const SystemTimes times = run_system_flows(topology_, system);
    fill(collectives_of(system), times.collectives, times.end);
  }
  return result;
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
