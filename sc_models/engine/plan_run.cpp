// SPDX-License-Identifier: Apache-2.0
#include "engine/plan_run.h"

#include <fmt/format.h>

#include <vector>

#include "base/error.h"
#include "engine/communicator.h"
#include "engine/communicator_run.h"
#include "engine/part_results.h"
#include "engine/simulated_plans.h"

namespace fredsim {
namespace {

void check_members(const Topology& topology, const Plan& plan) {
  for (const Part& part : plan.parts) {
    for (const NodeId node : part.members) {
      if (node < 0 || node >= std::ssize(topology.nodes) || !topology.nodes[node].is_endpoint())
        throw BadInput(fmt::format("plan: node {} is no endpoint of {}", node, topology.name));
    }
  }
}

class PlanRun {
 public:
  PlanRun(Machine& machine, const Plan& plan, std::uint64_t max_simulated)
      : machine_(machine),
        plan_(plan),
        simulated_(plan_to_simulate(machine, plan)),
        communicator_(machine) {
    communicator_.stop_after(max_simulated);
    communicator_.on_complete([this](const OperationReport& report) { times_ = report.parts; });
  }

  RunResult run(const std::function<void(const Progress&)>& on_progress) {
    const PreparedPlan& simulated = *simulated_.plans.front();
    return run_to_end(machine_, communicator_, simulated_,
                      {.parts = parts(),
                       .total_bytes = result_bytes(simulated),
                       .routes = simulated.needs_online_routes,
                       .memoises = false,
                       .issue = [this] { issue(); },
                       .fill = [this](RunResult& result) { fill(result); }},
                      on_progress);
  }

 private:
  void issue() {
    std::vector<std::uint64_t> starts;
    for (const Part& part : plan_.parts) starts.push_back(part.start_cycle);
    handle_ =
        communicator_.issue(simulated_.plans.front(), starts, {.seed = machine_.options().seed});
    communicator_.let_parts_go_ahead();
  }

  std::vector<const Part*> parts() const {
    std::vector<const Part*> parts;
    for (const Part& part : plan_.parts) parts.push_back(&part);
    return parts;
  }

  void fill(RunResult& result) {
    if (result.incomplete) times_ = communicator_.part_times(handle_);
    result.bound_ns = plan_.bound_ns;
    std::vector<PartTime> times;
    for (std::size_t p = 0; p < plan_.parts.size(); ++p) {
      const OperationReport::PartTimes& part = times_[p];
      times.push_back({.start = part.has_begun ? part.start : plan_.parts[p].start_cycle,
                       .end = part.end,
                       .has_begun = part.has_begun,
                       .incomplete = !part.has_ended});
    }
    if (!plan_.collectives.empty()) {
      fill_collectives(machine_.topology(), plan_, times, result);
      return;
    }
    fill_parts(machine_.topology(), parts(), times, result);
    fill_operations(plan_, times, result);
  }

  Machine& machine_;
  const Plan& plan_;
  const SimulatedPlans simulated_;  // one plan
  Communicator communicator_;
  OperationHandle handle_ = 0;
  std::vector<OperationReport::PartTimes> times_;
};

}  // namespace

RunResult run_plan(Machine& machine, const Plan& plan,
                   const std::function<void(const Progress&)>& on_progress,
                   std::uint64_t max_simulated) {
  check_members(machine.topology(), plan);
  return run_for_wave(machine,
                      [&] { return PlanRun(machine, plan, max_simulated).run(on_progress); });
}

}  // namespace fredsim
