// SPDX-License-Identifier: Apache-2.0
#include "runner/system_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <ranges>
#include <utility>

#include "base/error.h"
#include "engine/part_results.h"
#include "engine/plan_run.h"
#include "flow/system_flows.h"
#include "runner/flow_results.h"
#include "runner/stated_error.h"

namespace fredsim {
namespace {

constexpr std::size_t kMostSizes = 3;  // by which an error is measured
constexpr std::array<std::uint64_t, 10> kCheckedSizes{4 * kKiB,   16 * kKiB, 128 * kKiB, 256 * kKiB,
                                                      512 * kKiB, 2 * kMiB,  4 * kMiB,   8 * kMiB,
                                                      32 * kMiB,  64 * kMiB};
constexpr std::array<std::uint64_t, 3> kLimits{64 * kKiB, kMiB, 16 * kMiB};

// Sizes up to the first of kLimits, from there to the next, and so on.
std::ptrdiff_t range_of(std::uint64_t bytes) {
  return std::ranges::lower_bound(kLimits, bytes) - kLimits.begin();
}

// Groups of as many NPUs, which do the same.
bool do_the_same(const Part& a, const Part& b) {
  return a.collective == b.collective && a.bytes == b.bytes && a.vc == b.vc &&
         a.algorithms == b.algorithms && a.members.size() == b.members.size();
}

}  // namespace

SystemJobs::SystemJobs(const MachineConfig& config, const FabricOptions& options,
                       const std::string& name)
    : config_(config),
      seed_(options.seed),
      surplus_(config, options, name),
      smaller_(config, options, name + "_smaller") {}

std::optional<FlowErrorResult> SystemJobs::error_of(const SystemPlan& plan) {
  const Part& collective = plan.collectives.front();
  if (!std::ranges::all_of(plan.collectives,
                           [&](const Part& other) { return do_the_same(other, collective); }))
    return std::nullopt;
  std::vector<SmallerSystem::Checked> points;
  // From the largest: where sizes of the same interval are too large, the next ones are taken.
  for (const std::uint64_t size : kCheckedSizes | std::views::reverse) {
    const bool is_near = range_of(size) == range_of(collective.bytes);
    if (points.size() >= kMostSizes || (!is_near && size > collective.bytes)) continue;
    const auto point = smaller_.check(collective, size, plan.chunking);
    if (point) points.push_back(*point);
  }
  if (points.empty()) return std::nullopt;
  std::ranges::reverse(points);
  FlowErrorResult result;
  result.measured_on = smaller_.name() + surplus_.extrapolations();
  for (const SmallerSystem::Checked& point : points) {
    const double percent = point.percent();
    result.sizes.push_back(point.bytes);
    result.mean_percent += percent / static_cast<double>(points.size());
    result.worst_percent = std::max(result.worst_percent, percent);
  }
  return stated(std::move(result), kSystemMargin);
}

bool SystemJobs::runs_exactly(const SystemPlan& plan, const FlowTraffic& traffic) const {
  const Topology& system = config_.topology;
  return smaller_.is_whole() &&
         exact_steps(system, traffic.flits, run_system_flows(system, plan).end) <= kMaxExactSteps;
}

RunResult SystemJobs::run(const SystemPlan& plan) {
  const Topology& system = config_.topology;
  const FlowTraffic traffic = system_traffic(system, plan);
  if (runs_exactly(plan, traffic)) return flow_result_of(system, traffic, smaller_.exact_run(plan));
  RunResult result;
  result.flow.emplace();
  const StepSurplus::OfSteps surplus = surplus_.of(plan);
  if (surplus.is_measured) result.flow->error = error_of(plan);
  const auto wall_start = std::chrono::steady_clock::now();
  const std::clock_t cpu_start = std::clock();
  const SystemTimes times = run_system_flows(system, plan, surplus.cycles);
  result.cpu_s = static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC;
  result.wall_s =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - wall_start).count();
  fill_flow_run(system, times.end, result);
  result.seed = seed_;
  result.bound_ns = plan.bound_ns;
  fill_flow_links(system, traffic, result);
  std::vector<const Part*> parts;
  std::vector<PartTime> part_times;
  for (std::size_t p = 0; p < plan.collectives.size(); ++p) {
    parts.push_back(&plan.collectives[p]);
    part_times.push_back({.start = flow_cycles(times.collectives[p].start),
                          .end = flow_cycles(times.collectives[p].end)});
  }
  fill_parts(system, parts, part_times, result);
  return result;
}

}  // namespace fredsim
