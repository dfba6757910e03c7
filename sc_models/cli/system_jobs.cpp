// SPDX-License-Identifier: Apache-2.0
#include "cli/system_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <ctime>
#include <numeric>
#include <ranges>
#include <utility>

#include "base/error.h"
#include "cli/flow_results.h"
#include "engine/part_results.h"
#include "engine/plan_run.h"
#include "flow/system_flows.h"

namespace fredsim {
namespace {

constexpr int kLeastRing = 4;
constexpr std::size_t kMostSizes = 3;  // by which an error is measured
constexpr std::array<std::uint64_t, 10> kCheckedSizes{4 * kKiB,   16 * kKiB, 128 * kKiB, 256 * kKiB,
                                                      512 * kKiB, 2 * kMiB,  4 * kMiB,   8 * kMiB,
                                                      32 * kMiB,  64 * kMiB};
constexpr std::array<std::uint64_t, 3> kLimits{64 * kKiB, kMiB, 16 * kMiB};

// Sizes up to the first of kLimits, from there to the next, and so on.
std::ptrdiff_t range_of(std::uint64_t bytes) {
  return std::ranges::lower_bound(kLimits, bytes) - kLimits.begin();
}

// A size that a block can have in its place; as it is where there is none.
int halved(const SystemBlock& block, int size) {
  if (!has_own_size(block) || size <= 2) return size;
  const int half = size / 2;
  return block.word == "ring" && half < kLeastRing ? 2 : half;
}

std::uint64_t flit_hops(const Topology& system, const SystemPlan& plan) {
  const FlowTraffic traffic = system_traffic(system, plan);
  return std::accumulate(traffic.flits.begin(), traffic.flits.end(), std::uint64_t{0});
}

// A collective of this kind on all NPUs.
SystemPlan plan_on_all(const Topology& system, const Part& like, std::uint64_t bytes, int chunks) {
  CollectiveSpec spec;
  spec.collective = like.collective;
  spec.algorithm = like.algorithm;
  spec.group.resize(system.npus.size());
  std::iota(spec.group.begin(), spec.group.end(), 0);
  spec.bytes = bytes;
  spec.vc = like.vc;
  spec.root = std::min(like.root, static_cast<int>(spec.group.size()) - 1);
  spec.chunks = chunks;
  return plan_system(system, {&spec, 1});
}

}  // namespace

std::vector<int> smaller_sizes(const Topology& system) {
  std::vector<int> sizes;
  for (const SystemBlock& block : system.blocks)
    sizes.push_back(static_cast<int>(block.topology->npus.size()));
  const auto npus = [&] {
    return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies{});
  };
  for (;;) {
    std::size_t largest = sizes.size();
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      const int half = halved(system.blocks[d], sizes[d]);
      if (half == sizes[d] || npus() / sizes[d] * half < kMeasuredNpus) continue;
      if (largest == sizes.size() || sizes[d] > sizes[largest]) largest = d;
    }
    if (largest == sizes.size()) return sizes;
    sizes[largest] = halved(system.blocks[largest], sizes[largest]);
  }
}

SystemJobs::SystemJobs(const MachineConfig& config, const FabricOptions& options,
                       const std::string& name)
    : config_(config),
      seed_(options.seed),
      smaller_(reload_config(config, resized_settings(config, smaller_sizes(config.topology)))),
      surplus_(config, options, name) {
  if (!smaller_.topology.flow_only.empty()) return;
  const std::string of_smaller = name + "_smaller";
  smaller_surplus_ = std::make_unique<StepSurplus>(smaller_, options, of_smaller);
  smaller_machine_ = std::make_unique<Machine>(of_smaller.c_str(), smaller_.topology, options);
}

SystemJobs::Surpluses SystemJobs::surpluses_of(const SystemPlan& plan, StepSurplus& surplus_of) {
  Surpluses surpluses;
  for (const SystemStep& step : plan.steps) {
    const std::optional<double> surplus = surplus_of.of(step);
    surpluses.of_steps.push_back(surplus.value_or(0));
    surpluses.is_measured = surpluses.is_measured && surplus.has_value();
  }
  return surpluses;
}

// None: it would take long, or has no surplus.
std::optional<SystemJobs::Checked> SystemJobs::checked(const Part& collective, std::uint64_t bytes,
                                                       int chunks) {
  const std::string key = fmt::format("{} {} {} {}", to_string(collective.collective),
                                      collective.algorithm, collective.root, chunks);
  const auto known = checked_.find({key, bytes});
  if (known != checked_.end()) return known->second;
  std::optional<Checked>& point = checked_[{key, bytes}];
  const Topology& system = smaller_.topology;
  const SystemPlan plan = plan_on_all(system, collective, bytes, chunks);
  if (flit_hops(system, plan) > kMaxCheckedHops) return point;
  const Surpluses surpluses = surpluses_of(plan, *smaller_surplus_);
  if (!surpluses.is_measured) return point;
  const RunResult exact = run_plan(*smaller_machine_, expanded(system, plan));
  if (exact.incomplete) throw Interrupted("interrupted while flows were calibrated");
  const double flow = run_system_flows(system, plan, surpluses.of_steps).end;
  point = Checked{bytes, static_cast<double>(exact.cycles), static_cast<double>(flow_cycles(flow))};
  return point;
}

std::optional<FlowErrorResult> SystemJobs::error_of(const SystemPlan& plan) {
  const Part& collective = plan.collectives.front();
  if (!smaller_machine_ || plan.collectives.size() > 1 ||
      collective.members.size() != config_.topology.npus.size())
    return std::nullopt;
  std::vector<Checked> points;
  // From the largest: where sizes of the same interval are too large, the next ones are taken.
  for (const std::uint64_t size : kCheckedSizes | std::views::reverse) {
    const bool is_near = range_of(size) == range_of(collective.bytes);
    if (points.size() >= kMostSizes || (!is_near && size > collective.bytes)) continue;
    const auto point = checked(collective, size, plan.chunks_asked);
    if (point) points.push_back(*point);
  }
  if (points.empty()) return std::nullopt;
  std::ranges::reverse(points);
  FlowErrorResult result;
  result.measured_on =
      smaller_.topology.npus.size() == config_.topology.npus.size()
          ? smaller_.topology.name
          : fmt::format("{} with {} NPUs", smaller_.topology.name, smaller_.topology.npus.size());
  result.measured_on += surplus_.extrapolations();
  for (const Checked& point : points) {
    const double percent = 100 * std::abs(point.flow / point.exact - 1);
    result.sizes.push_back(point.bytes);
    result.mean_percent += percent / static_cast<double>(points.size());
    result.worst_percent = std::max(result.worst_percent, percent);
  }
  return result;
}

RunResult SystemJobs::run(const SystemPlan& plan) {
  const Topology& system = config_.topology;
  RunResult result;
  result.flow.emplace();
  const Surpluses surpluses = surpluses_of(plan, surplus_);
  if (surpluses.is_measured) result.flow->error = error_of(plan);
  const auto wall_start = std::chrono::steady_clock::now();
  const std::clock_t cpu_start = std::clock();
  const SystemTimes times = run_system_flows(system, plan, surpluses.of_steps);
  result.cpu_s = static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC;
  result.wall_s =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - wall_start).count();
  fill_flow_run(system, times.end, result);
  result.seed = seed_;
  result.bound_ns = plan.bound_ns;
  fill_flow_links(system, system_traffic(system, plan), result);
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
