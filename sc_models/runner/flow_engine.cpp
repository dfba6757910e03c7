// SPDX-License-Identifier: Apache-2.0
#include "runner/flow_engine.h"

#include <algorithm>
#include <map>
#include <set>

namespace fredsim {
namespace {

constexpr std::uint64_t kReportedCycles = 4096;  // interval between progress reports

}  // namespace

FlowEngine::FlowEngine(const Topology& topology, FlowOperations::Plans plans,
                       const FlowEngineOptions& options)
    : topology_(topology),
      plans_(plans.begin(), plans.end()),
      options_(options),
      offsets_(options.calibration != nullptr ? options.calibration->of(plans)
                                              : std::vector<CalibrationOffset>(plans.size())),
      operations_(topology, plans, options.stop, options.lifts) {
  for (std::size_t p = 0; p < plans_.size(); ++p) {
    if (plans_[p]->system != nullptr)
      operations_.set_step_offset(plans_[p], offsets_[p].steps);
    else
      operations_.set_offset(plans_[p], offsets_[p].ranks);
  }
}

RunResult FlowEngine::run(const RunSteps& steps,
                          const std::function<void(const Progress&)>& on_progress) {
  if (on_progress) {
    // Operations take equally long to simulate, regardless of their size.
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
  run_timed(
      [&] {
        steps.issue();
        operations_.wait_all();
      },
      result);
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
  if (options_.calibration == nullptr) return std::nullopt;
  std::map<const PreparedPlan*, const CalibrationOffset*> of_plan;
  for (std::size_t p = 0; p < plans_.size(); ++p) of_plan[plans_[p].get()] = &offsets_[p];
  FlowErrorResult error{.measured_on =
                            options_.calibration->measured_on() + ", each operation alone"};
  std::set<std::uint64_t> sizes;
  double cycles = 0;
  for (const FlowOperations::Issued& issued : operations_.issued()) {
    const CalibrationOffset& offset = *of_plan.at(issued.plan.get());
    if (!offset.is_measured) return std::nullopt;
    sizes.insert(offset.checked_bytes);
    error.worst_percent = std::max(error.worst_percent, offset.error_percent);
    error.mean_percent += static_cast<double>(issued.cycles) * offset.error_percent;
    cycles += static_cast<double>(issued.cycles);
  }
  if (cycles > 0) error.mean_percent /= cycles;
  error.sizes.assign(sizes.begin(), sizes.end());
  return stated(std::move(error), options_.margin);
}

}  // namespace fredsim
