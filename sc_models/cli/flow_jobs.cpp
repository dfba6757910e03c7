// SPDX-License-Identifier: Apache-2.0
#include "cli/flow_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <optional>
#include <span>
#include <utility>

#include "base/error.h"
#include "cli/flow_results.h"
#include "engine/part_results.h"
#include "engine/plan_run.h"
#include "flow/flow_run.h"
#include "flow/flow_traffic.h"

namespace fredsim {
namespace {

using Parts = FlowJobs::Parts;

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

// One of so many: sizes of all, the mean of means, the worst.
void add_error(const FlowError& error, std::size_t of, FlowErrorResult& sum) {
  for (const std::uint64_t size : error.sizes) {
    const auto place = std::ranges::lower_bound(sum.sizes, size);
    if (place == sum.sizes.end() || *place != size) sum.sizes.insert(place, size);
  }
  sum.mean_percent += error.mean_percent / static_cast<double>(of);
  sum.worst_percent = std::max(sum.worst_percent, error.worst_percent);
}

// Share of a run's steps: of what moved, and of the cycles in which something did.
double simulated_share(const RunResult& result) {
  const auto share_of = [](std::uint64_t skipped, std::uint64_t all) {
    if (all == 0) return 1.0;
    return std::clamp(1 - static_cast<double>(skipped) / static_cast<double>(all), 0.0, 1.0);
  };
  return share_of(result.idle_cycles, result.cycles) *
         share_of(result.repeated_flit_hops + result.equal_slices_flit_hops, result.flit_hops);
}

}  // namespace

Calibrator::ExactRun exact_run_on(Machine& machine) {
  return [&machine](const Plan& plan) {
    const RunResult result = run_plan(machine, plan);
    if (result.incomplete) throw Interrupted("interrupted while flows were calibrated");
    Calibrator::ExactTimes times{.all = static_cast<double>(result.cycles)};
    for (const auto& part : result.parts) times.parts.push_back(static_cast<double>(part.cycles));
    times.simulated = simulated_share(result);
    times.repeats = result.repeated_cycles > 0;
    return times;
  };
}

FlowJobs::FlowJobs(const Topology& topology, Machine* machine, std::uint64_t seed,
                   const Calibrator::Calibrations& known)
    : topology_(topology),
      seed_(seed),
      calibrator_(topology, machine != nullptr ? exact_run_on(*machine) : nullptr,
                  kMaxCalibrationSteps) {
  calibrator_.add(known);
}

std::optional<double> FlowJobs::surplus_of(const Plan& plan) {
  const Parts parts = parts_of(plan);
  const std::optional<CalibratedWork> work = calibrated_work(topology_, parts);
  if (!work) return std::nullopt;
  const std::uint64_t bytes = largest_of(parts);
  const Calibration& calibration = calibrator_.at(*work, bytes);
  if (!calibration.has_error(bytes)) return std::nullopt;
  double surplus = calibration.surplus(0, bytes);
  for (std::size_t p = 1; p < parts.size(); ++p)
    surplus = std::max(surplus, calibration.surplus(p, bytes));
  return surplus;
}

FlowJobs::Measured FlowJobs::measure(std::span<const Parts> calibrated) {
  Measured measured{.is_known = true};
  for (const Parts& parts : calibrated) {
    const std::optional<CalibratedWork> work = calibrated_work(topology_, parts);
    const std::uint64_t bytes = largest_of(parts);
    const Calibration& calibration = work ? calibrator_.at(*work, bytes) : Calibration();
    for (std::size_t p = 0; p < parts.size(); ++p)
      measured.surplus.push_back(calibration.surplus(p, bytes));
    measured.is_known = measured.is_known && calibration.has_error(bytes);
    add_error(calibration.error_at(bytes), calibrated.size(), measured.error);
  }
  return measured;
}

RunResult FlowJobs::run(const Plan& plan) {
  RunResult result;
  result.flow.emplace();
  const Parts parts = parts_of(plan);
  std::vector<Parts> calibrated;  // together
  Measured measured;
  if (follows_from_starts(plan)) {
    calibrated = {parts};
    measured = measure(calibrated);
  }
  if (!measured.is_known && !begin_together(plan)) {
    calibrated.clear();
    for (const Part* part : parts) calibrated.push_back({part});
    measured = measure(calibrated);
  }
  const auto wall_start = std::chrono::steady_clock::now();
  const std::clock_t cpu_start = std::clock();
  const FlowTimes times = run_flows(topology_, plan, measured.surplus);
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

  if (!measured.is_known) return result;
  measured.error.measured_on =
      topology_.name + (calibrated.size() > 1 ? ", each collective alone" : "");
  result.flow->error = std::move(measured.error);
  return result;
}

}  // namespace fredsim
