// SPDX-License-Identifier: Apache-2.0
#include "runner/flow_engine.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <map>
#include <set>

#include "flow/flow_traffic.h"
#include "flow/system_flows.h"
#include "runner/flow_results.h"

namespace fredsim {
namespace {

constexpr std::uint64_t kReportedCycles = 4096;  // from one report of the progress to the next

FlowTraffic traffic_of(const Topology& topology,
                       const std::vector<FlowOperations::Issued>& issued) {
  FlowTraffic sum = no_traffic(topology);
  for (const FlowOperations::Issued& operations : issued) {
    const PreparedPlan& plan = *operations.plan;
    const FlowTraffic one = plan.system != nullptr ? system_traffic(topology, *plan.system)
                                                   : flow_traffic(topology, plan.plan);
    add_traffic(one, operations.times, sum);
  }
  return sum;
}

}  // namespace

FlowEngine::FlowEngine(const Topology& topology, std::uint64_t seed, const std::atomic<bool>* stop,
                       OperationSurpluses& surpluses,
                       std::span<const std::shared_ptr<const PreparedPlan>> plans)
    : FlowEngine(topology, seed, stop, plans, surpluses.of(plans),
                 surpluses.measured_on() + ", each operation alone") {}

FlowEngine::FlowEngine(const Topology& topology, std::uint64_t seed, const std::atomic<bool>* stop,
                       std::span<const std::shared_ptr<const PreparedPlan>> plans,
                       std::vector<OperationSurplus> surpluses, const FlowLifts& lifts)
    : FlowEngine(topology, seed, stop, plans, std::move(surpluses), topology.name, lifts) {}

FlowEngine::FlowEngine(const Topology& topology, std::uint64_t seed, const std::atomic<bool>* stop,
                       std::span<const std::shared_ptr<const PreparedPlan>> plans,
                       std::vector<OperationSurplus> surpluses, std::string measured_on,
                       const FlowLifts& lifts)
    : topology_(topology),
      seed_(seed),
      plans_(plans.begin(), plans.end()),
      measured_on_(std::move(measured_on)),
      surpluses_(std::move(surpluses)),
      operations_(topology, plans, stop, lifts) {
  for (std::size_t p = 0; p < plans_.size(); ++p) {
    if (plans_[p]->system != nullptr)
      operations_.set_step_surplus(plans_[p], surpluses_[p].steps);
    else
      operations_.set_surplus(plans_[p], surpluses_[p].ranks);
  }
}

RunResult FlowEngine::run(const RunSteps& steps,
                          const std::function<void(const Progress&)>& on_progress) {
  if (on_progress) {
    // An operation takes as long to simulate, however large it is.
    const auto total = static_cast<double>(steps.operations);
    operations_.on_progress(
        [&on_progress, this, bytes_total = steps.total_bytes, total, next = kReportedCycles](
            std::uint64_t cycle, std::uint64_t bytes) mutable {
          if (cycle < next) return;
          next = cycle + kReportedCycles;
          on_progress({.cycle = cycle,
                       .bytes_delivered = bytes,
                       .bytes_total = bytes_total,
                       .first = {static_cast<double>(operations_.totals().operations), total}});
        });
  }
  RunResult result;
  const auto wall_start = std::chrono::steady_clock::now();
  const std::clock_t cpu_start = std::clock();
  steps.issue();
  operations_.wait_all();
  result.cpu_s = static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC;
  result.wall_s =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - wall_start).count();
  operations_.finish();
  result.seed = seed();
  const std::uint64_t cycles = steps.cycles ? steps.cycles() : operations_.totals().last_end;
  fill_flow_run(topology(), static_cast<double>(cycles), result);
  fill_flow_links(topology(), traffic_of(topology(), operations_.issued()), result);
  result.flow = FlowResult{.error = error()};
  steps.fill(result);
  return result;
}

void FlowEngine::fill_operations(RunResult& result) const {
  OperationsResult& operations = result.operations.emplace();
  operations.complete = operations_.totals().operations;
  operations.waited_for_others = operations_.totals().waited_for_others;
}

std::optional<FlowErrorResult> FlowEngine::error() const {
  std::map<const PreparedPlan*, const OperationSurplus*> of_plan;
  for (std::size_t p = 0; p < plans_.size(); ++p) of_plan[plans_[p].get()] = &surpluses_[p];
  FlowErrorResult error{.measured_on = measured_on_};
  std::set<std::uint64_t> sizes;
  double cycles = 0;
  for (const FlowOperations::Issued& issued : operations_.issued()) {
    const OperationSurplus& surplus = *of_plan.at(issued.plan.get());
    if (!surplus.is_measured) return std::nullopt;
    sizes.insert(surplus.checked_bytes);
    error.worst_percent = std::max(error.worst_percent, surplus.error_percent);
    error.mean_percent += static_cast<double>(issued.cycles) * surplus.error_percent;
    cycles += static_cast<double>(issued.cycles);
  }
  if (cycles > 0) error.mean_percent /= cycles;
  error.sizes.assign(sizes.begin(), sizes.end());
  return stated(std::move(error), margin_);
}

}  // namespace fredsim
