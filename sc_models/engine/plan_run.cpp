#include "engine/plan_run.h"

#include <fmt/format.h>

#include <chrono>
#include <ctime>
#include <memory>
#include <utility>
#include <vector>

#include "base/error.h"
#include "engine/communicator.h"
#include "engine/communicator_run.h"
#include "engine/part_results.h"
#include "engine/run_observers.h"
#include "engine/simulated_plans.h"
#include "trace/wave_recorder.h"

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
  PlanRun(Machine& machine, const Plan& plan)
      : machine_(machine),
        plan_(plan),
        simulated_(plan_to_simulate(machine, plan)),
        communicator_(machine) {
    communicator_.on_complete([this](const OperationReport& report) { times_ = report.parts; });
  }

  RunResult run(const std::function<void(const Progress&)>& on_progress) {
    try {
      return run_to_end(on_progress);
    } catch (const RunFailed& failed) {
      machine_.observers().run_failed(failed.what());
      throw;
    }
  }

 private:
  RunResult run_to_end(const std::function<void(const Progress&)>& on_progress) {
    RunObservers& observers = machine_.observers();
    const std::shared_ptr<const PreparedPlan>& simulated = simulated_.plans.front();
    communicator_.begin(simulated->needs_online_routes);
    communicator_.observe(parts());
    std::vector<std::uint64_t> starts;
    for (const Part& part : plan_.parts) starts.push_back(part.start_cycle);
    const OperationHandle handle =
        communicator_.issue(simulated, starts, {.seed = machine_.options().seed});
    communicator_.skip_idle(false);
    communicator_.let_parts_go_ahead();
    communicator_.start();
    communicator_.report_to(on_progress, result_bytes(*simulated));
    const auto wall_start = std::chrono::steady_clock::now();
    const std::clock_t cpu_start = std::clock();
    communicator_.wait_all();
    RunResult result;
    result.cpu_s = static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC;
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - wall_start;
    result.wall_s = wall.count();
    result.incomplete = communicator_.stopped();
    result.cycles = result.incomplete ? communicator_.cycle() : communicator_.totals().last_end;
    observers.end_run(result.cycles);
    if (result.incomplete)
      times_ = communicator_.part_times(handle);
    else
      communicator_.finish();
    fill(result);
    observers.fill(result);
    return result;
  }

  std::vector<const Part*> parts() const {
    std::vector<const Part*> parts;
    for (const Part& part : plan_.parts) parts.push_back(&part);
    return parts;
  }

  void fill(RunResult& result) const {
    fill_run(machine_, communicator_, simulated_, result);
    result.bound_ns = plan_.bound_ns;
    std::vector<PartTime> times;
    for (std::size_t p = 0; p < plan_.parts.size(); ++p) {
      const OperationReport::PartTimes& part = times_[p];
      times.push_back({.start = part.has_begun ? part.start : plan_.parts[p].start_cycle,
                       .end = part.end,
                       .has_begun = part.has_begun,
                       .incomplete = !part.has_ended});
    }
    fill_parts(machine_.topology(), parts(), times, result);
    fill_operations(plan_, times, result);
  }

  Machine& machine_;
  const Plan& plan_;
  const SimulatedPlans simulated_;  // one
  Communicator communicator_;
  std::vector<OperationReport::PartTimes> times_;
};

}  // namespace

RunResult run_plan(Machine& machine, const Plan& plan,
                   const std::function<void(const Progress&)>& on_progress) {
  check_members(machine.topology(), plan);
  bool is_again = false;  // after the search for a wave's trigger
  return run_recorded(machine.wave(), [&] {
    if (std::exchange(is_again, true)) machine.observers().drop_run();
    return PlanRun(machine, plan).run(on_progress);
  });
}

}  // namespace fredsim
