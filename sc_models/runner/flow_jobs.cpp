// SPDX-License-Identifier: Apache-2.0
#include "runner/flow_jobs.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <optional>
#include <span>
#include <utility>

#include "base/error.h"
#include "engine/part_results.h"
#include "engine/plan_run.h"
#include "flow/flow_run.h"
#include "flow/flow_traffic.h"
#include "plan/link_load.h"
#include "runner/flow_results.h"
#include "runner/stated_error.h"

namespace fredsim {
namespace {

using Parts = FlowJobs::Parts;

constexpr double kTriedSteps = kMaxExactSteps / 3;

std::uint64_t largest_of(std::span<const Part* const> parts) {
  return std::ranges::max(parts, {}, &Part::bytes)->bytes;
}

// No part waits for another one.
bool follows_from_starts(const Plan& plan) {
  return std::ranges::all_of(plan.parts, [](const Part& part) { return part.after.empty(); });
}

bool begin_together(const Plan& plan) {
  return follows_from_starts(plan) && std::ranges::all_of(plan.parts, [&](const Part& part) {
           return part.start_cycle == plan.parts.front().start_cycle;
         });
}

Parts parts_of(const Plan& plan) {
  Parts parts;
  for (const Part& part : plan.parts) parts.push_back(&part);
  return parts;
}

}  // namespace

Calibrator::ExactRun exact_run_on(Machine& machine) {
  return [&machine](const Plan& plan) {
    const RunResult result = run_plan(machine, plan);
    if (result.incomplete) throw Interrupted("interrupted while flows were calibrated");
    Calibrator::ExactTimes times{.all = static_cast<double>(result.cycles)};
    for (const auto& part : result.parts) times.parts.push_back(static_cast<double>(part.cycles));
    return times;
  };
}

FlowJobs::FlowJobs(const Topology& topology, Machine* machine, std::uint64_t seed,
                   const Calibrator::Calibrations& known)
    : topology_(topology),
      machine_(machine),
      seed_(seed),
      calibrator_(topology, machine != nullptr ? exact_run_on(*machine) : nullptr, kMaxExactSteps) {
  calibrator_.add(known);
}

// A file has a run of these very parts.
bool FlowJobs::has_run(const CalibratedWork& work, const Parts& parts) const {
  const std::uint64_t bytes = largest_of(parts);
  if (!calibrator_.has_run(work, bytes)) return false;
  const std::vector<CollectiveSpec> specs = specs_of(work, bytes);
  return std::ranges::equal(specs, parts, {}, &CollectiveSpec::bytes, &Part::bytes);
}

// None: nothing is known.
std::optional<FlowErrorResult> FlowJobs::error_of(const Parts& parts) const {
  const std::optional<CalibratedWork> work = calibrated_work(topology_, parts);
  if (!work) return std::nullopt;
  const std::uint64_t bytes = largest_of(parts);
  FlowErrorResult result{.measured_on = topology_.name, .sizes = {bytes}};
  if (has_run(*work, parts)) return result;
  FlowError error = calibrator_.error_at(*work, bytes);
  if (error.sizes.empty()) return std::nullopt;
  result.sizes = std::move(error.sizes);
  result.mean_percent = error.mean_percent;
  result.worst_percent = error.worst_percent;
  return stated(std::move(result), {.percent = kBetweenSizesOfAim * aim_at(bytes)});
}

std::optional<RunResult> FlowJobs::exact_run(const Plan& plan) {
  if (machine_ == nullptr) return {};
  const std::optional<CalibratedWork> work = calibrated_work(topology_, parts_of(plan));
  if (!work) return {};
  const double cycles = run_flows(topology_, plan).end;
  const double steps = exact_steps(topology_, link_flits(topology_, plan), cycles);
  std::uint64_t most = RunLimits::kNever;
  if (steps > kMaxExactSteps) {
    if (too_long_.contains(*work)) return {};
    most = static_cast<std::uint64_t>(cycles * kTriedSteps / steps);
  }
  RunResult result = run_plan(*machine_, plan, {}, most);
  if (!result.incomplete) return result;
  const std::atomic<bool>* const stop = machine_->options().stop;
  if (stop != nullptr && *stop) throw Interrupted("interrupted while flows were calibrated");
  too_long_.insert(*work);
  return {};
}

FlowJobs::Surplus FlowJobs::surplus_of(const Plan& plan) {
  if (const std::optional<RunResult> exact = exact_run(plan))
    return {static_cast<double>(exact->cycles) - run_flows(topology_, plan).end, true};
  const Parts together = parts_of(plan);
  const std::vector<double> surplus = surpluses(together);
  return {std::ranges::max(surplus), error_of(together).has_value()};
}

// All parts together; by part.
std::vector<double> FlowJobs::surpluses(const Parts& parts) {
  std::vector<double> surplus(parts.size());
  const std::optional<CalibratedWork> work = calibrated_work(topology_, parts);
  if (!work) return surplus;
  const std::uint64_t bytes = largest_of(parts);
  const Calibration& calibration = calibrator_.at(*work, bytes);
  for (std::size_t p = 0; p < parts.size(); ++p) surplus[p] = calibration.surplus(p, bytes);
  return surplus;
}

RunResult FlowJobs::run(const Plan& plan) {
  const Parts parts = parts_of(plan);
  const bool go_together = follows_from_starts(plan);
  std::optional<FlowErrorResult> error;
  if (go_together) error = error_of(parts);
  if (!error) {
    if (std::optional<RunResult> exact = exact_run(plan))
      return flow_result_of(topology_, flow_traffic(topology_, plan), *std::move(exact));
  }
  std::vector<double> surplus;
  if (error || begin_together(plan)) {
    surplus = surpluses(parts);
  } else {
    for (const Part* part : parts) surplus.push_back(surpluses({part}).front());
  }
  RunResult result;
  result.flow.emplace();
  result.flow->error = std::move(error);
  const auto wall_start = std::chrono::steady_clock::now();
  const std::clock_t cpu_start = std::clock();
  const FlowTimes times = run_flows(topology_, plan, surplus);
  result.cpu_s = static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC;
  result.wall_s =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - wall_start).count();

  result.seed = seed_;
  fill_flow_run(topology_, times.end, result);
  result.bound_ns = plan.bound_ns;
  fill_flow_links(topology_, flow_traffic(topology_, plan), result);
  std::vector<PartTime> part_times;
  for (const FlowTimes::Part& part : times.parts)
    part_times.push_back({.start = flow_cycles(part.start), .end = flow_cycles(part.end)});
  fill_parts(topology_, parts, part_times, result);
  fill_operations(plan, part_times, result);
  return result;
}

}  // namespace fredsim
