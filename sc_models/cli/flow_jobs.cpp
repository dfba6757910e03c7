// SPDX-License-Identifier: Apache-2.0
#include "cli/flow_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <numeric>
#include <span>
#include <utility>

#include "base/error.h"
#include "cli/flow_results.h"
#include "collective/link_load.h"
#include "collective/members.h"
#include "collective/planner.h"
#include "engine/part_results.h"
#include "engine/plan_run.h"
#include "flow/flow_run.h"
#include "flow/flow_traffic.h"

namespace fredsim {
namespace {

constexpr std::uint64_t kMeasuredBytes = 16U << 20;  // by which the cost of exact runs is told
constexpr std::uint64_t kProportion = 64;            // sizes in works that count as alike

std::uint64_t largest_of(std::span<const Part* const> parts) {
  return std::ranges::max(parts, {}, &Part::bytes)->bytes;
}

bool begin_together(const Plan& plan) {
  return std::ranges::all_of(
      plan.parts, [](const Part& part) { return part.start_cycle == 0 && part.after.empty(); });
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

}  // namespace

// `bytes`: of the largest part; the others are in proportion.
Plan FlowJobs::plan_of(const Parts& parts, std::uint64_t bytes) const {
  const std::uint64_t largest = largest_of(parts);
  std::vector<CollectiveSpec> specs;
  for (const Part* part : parts) {
    CollectiveSpec& spec = specs.emplace_back();
    spec.collective = part->collective;
    spec.algorithm = part->algorithm;
    for (const NodeId member : part->members)
      spec.group.push_back(member_number(topology_, member));
    spec.bytes =
        std::max<std::uint64_t>(1, static_cast<std::uint64_t>(static_cast<double>(bytes) *
                                                              static_cast<double>(part->bytes) /
                                                              static_cast<double>(largest)));
    spec.root = part->root;
    spec.vc = part->vc;
  }
  return make_plan(topology_, specs);
}

FlowJobs::Measured FlowJobs::measure(const Parts& parts, std::uint64_t bytes) {
  Measured measured{plan_of(parts, bytes), {}};
  measured.exact = run_plan(*machine_, measured.plan);
  if (measured.exact.incomplete) throw Interrupted("interrupted while flows were calibrated");
  return measured;
}

FlowJobs::Calibration FlowJobs::calibrate(const Parts& parts) {
  if (machine_ == nullptr) return {};
  // Not made of sizes alone: bytes between pairs, and roots of streams.
  if (std::ranges::any_of(parts, [](const Part* part) {
        return part->collective == Collective::kAllToAllV || part->roots > 0;
      }))
    return {};
  const std::vector<std::uint64_t> flits = link_flits(topology_, plan_of(parts, kMeasuredBytes));
  if (std::accumulate(flits.begin(), flits.end(), std::uint64_t{0}) > kMaxCalibrationHops)
    return {};
  Calibration calibration{.is_measured = true};
  std::vector<std::vector<CalibrationPoint>> points(parts.size());
  for (const std::uint64_t bytes : kCalibratedSizes) {
    const Measured measured = measure(parts, bytes);
    const FlowTimes flow = run_flows(topology_, measured.plan);
    for (std::size_t p = 0; p < parts.size(); ++p)
      points[p].push_back({measured.plan.parts[p].bytes,
                           static_cast<double>(measured.exact.parts[p].cycles), flow.parts[p].end});
  }
  for (auto& of_part : points) calibration.surplus.emplace_back(std::move(of_part));
  for (const std::uint64_t bytes : kCheckedSizes) {
    const Measured measured = measure(parts, bytes);
    std::vector<double> surplus;
    for (std::size_t p = 0; p < parts.size(); ++p)
      surplus.push_back(calibration.surplus[p].at(measured.plan.parts[p].bytes));
    calibration.checked.push_back(
        {bytes, static_cast<double>(measured.exact.cycles),
         static_cast<double>(flow_cycles(run_flows(topology_, measured.plan, surplus).end))});
  }
  return calibration;
}

const FlowJobs::Calibration& FlowJobs::calibration_of(const Parts& parts) {
  const std::uint64_t largest = largest_of(parts);
  Shape shape;
  for (const Part* part : parts)
    shape.emplace_back(part->collective, part->algorithm, part->members, part->root, part->vc,
                       kProportion * part->bytes / largest);
  const auto found = calibrations_.find(shape);
  return found != calibrations_.end()
             ? found->second
             : calibrations_.emplace(std::move(shape), calibrate(parts)).first->second;
}

std::optional<double> FlowJobs::surplus_of(const Plan& plan) {
  Parts parts;
  for (const Part& part : plan.parts) parts.push_back(&part);
  const Calibration& calibration = calibration_of(parts);
  if (!calibration.is_measured) return std::nullopt;
  double surplus = calibration.surplus.front().at(parts.front()->bytes);
  for (std::size_t p = 1; p < parts.size(); ++p)
    surplus = std::max(surplus, calibration.surplus[p].at(parts[p]->bytes));
  return surplus;
}

RunResult FlowJobs::run(const Plan& plan) {
  RunResult result;
  result.flow.emplace();
  std::vector<Parts> calibrated;  // together
  for (const Part& part : plan.parts) {
    if (calibrated.empty() || !begin_together(plan)) calibrated.emplace_back();
    calibrated.back().push_back(&part);
  }
  std::vector<double> surplus;
  bool is_measured = true;
  FlowErrorResult error;
  for (const Parts& parts : calibrated) {
    const Calibration& calibration = calibration_of(parts);
    for (std::size_t p = 0; p < parts.size(); ++p)
      surplus.push_back(calibration.is_measured ? calibration.surplus[p].at(parts[p]->bytes) : 0);
    is_measured = is_measured && calibration.is_measured;
    add_error(error_at(largest_of(parts), calibration.checked), calibrated.size(), error);
  }
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
  std::vector<const Part*> parts;
  std::vector<PartTime> part_times;
  for (std::size_t p = 0; p < plan.parts.size(); ++p) {
    parts.push_back(&plan.parts[p]);
    part_times.push_back(
        {.start = flow_cycles(times.parts[p].start), .end = flow_cycles(times.parts[p].end)});
  }
  fill_parts(topology_, parts, part_times, result);
  fill_operations(plan, part_times, result);

  if (!is_measured) return result;
  error.measured_on = topology_.name + (calibrated.size() > 1 ? ", each collective alone" : "");
  result.flow->error = std::move(error);
  return result;
}

}  // namespace fredsim
