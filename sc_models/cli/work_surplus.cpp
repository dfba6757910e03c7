// SPDX-License-Identifier: Apache-2.0
#include "cli/work_surplus.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "base/error.h"
#include "cli/flow_engine.h"
#include "collective/link_load.h"

namespace fredsim {
namespace {

using Cycles = std::vector<double>;  // by part, in the order of steps

// Shares of the size, the largest first.
constexpr std::array<std::uint64_t, 2> kDivisors{2, 4};

bool begins_at_cycles(const WorkPlan& work) {
  std::set<const PreparedPlan*> plans;
  for (const WorkStep& step : work.steps)
    if (!step.after.empty() || step.repeat > 1) return false;
  for (const WorkPlan::Batch& batch : work.batches) {
    if (!plans.insert(batch.plan.get()).second || batch.plan->tree_channels != 0) return false;
    for (const Part& part : batch.plan->plan.parts)
      if (!part.after.empty() || part.collective == Collective::kAllToAllV) return false;
  }
  return true;
}

// Two batches cross a link, or a switch, of the same.
bool meet(const Topology& topology, const WorkPlan& work) {
  std::set<NodeId> crossed;
  for (const WorkPlan::Batch& batch : work.batches) {
    const std::vector<std::uint64_t> flits = link_flits(topology, batch.plan->plan);
    std::set<NodeId> own;
    for (std::size_t l = 0; l < flits.size(); ++l) {
      if (flits[l] == 0) continue;
      own.insert(topology.links[l].from);
      own.insert(topology.links[l].to);
    }
    for (const NodeId node : own)
      if (!crossed.insert(node).second) return true;
  }
  return false;
}

bool is_too_much(const Topology& topology, const WorkPlan& work) {
  std::uint64_t hops = 0;
  std::uint64_t smallest = std::numeric_limits<std::uint64_t>::max();
  for (const WorkPlan::Batch& batch : work.batches) {
    hops += flit_hops(topology, batch.plan->plan);
    for (const Part& part : batch.plan->plan.parts) smallest = std::min(smallest, part.bytes);
  }
  return hops > kMaxShapeHops || smallest / kDivisors.back() < kMinShapeBytes;
}

std::uint64_t share_of(std::uint64_t all, std::uint64_t divisor) {
  return (all + divisor / 2) / divisor;
}

// The same by the same algorithms, sizes and times divided.
WorkPlan scaled(const Topology& topology, const WorkPlan& work, std::uint64_t divisor) {
  std::vector<WorkStep> steps = work.steps;
  for (std::size_t s = 0; s < steps.size(); ++s) {
    const WorkPlan::StepPlace& place = work.places[s];
    steps[s].delay = share_of(steps[s].delay, divisor);
    for (std::size_t i = 0; i < steps[s].specs.size(); ++i) {
      CollectiveSpec& spec = steps[s].specs[i];
      spec.algorithm = work.batches[place.batch].plan->plan.parts[place.first_part + i].algorithm;
      spec.bytes = std::max<std::uint64_t>(1, spec.bytes / divisor);
      spec.start_cycle = share_of(spec.start_cycle, divisor);
    }
  }
  return plan_steps(topology, std::move(steps), OnConflict::kRefuse);
}

Cycles cycles_of(const RunResult& result) {
  Cycles cycles;
  for (const PartResult& part : result.parts) cycles.push_back(static_cast<double>(part.cycles));
  return cycles;
}

// Adds cycles by part, in the order of steps, to surpluses by batch.
void add(const WorkPlan& work, const Cycles& cycles, double factor,
         std::vector<OperationSurplus>& batches) {
  std::size_t p = 0;
  for (std::size_t s = 0; s < work.steps.size(); ++s) {
    const WorkPlan::StepPlace& place = work.places[s];
    for (std::size_t i = 0; i < work.steps[s].specs.size(); ++i, ++p) {
      auto& ranks = batches[place.batch].ranks;
      if (ranks.empty()) continue;
      for (RankSurplus& rank : ranks[place.first_part + i]) rank.cycles += factor * cycles[p];
    }
  }
}

// A work at a smaller size: in the exact engine, and by flows with the surplus of each operation alone.
struct Point {
  WorkPlan work{};
  RunResult exact{};
  std::vector<OperationSurplus> alone{};
  Cycles later{};  // by part: exact less flows
};

}  // namespace

std::vector<OperationSurplus> work_surplus(const Topology& topology, Machine& machine,
                                           const WorkPlan& work, std::uint64_t seed,
                                           const std::atomic<bool>* stop,
                                           OperationSurpluses& alone) {
  if (!begins_at_cycles(work) || is_too_much(topology, work) || !meet(topology, work)) return {};
  std::vector<OperationSurplus> found = alone.of(plans_of(work));
  const auto are_measured = [](const std::vector<OperationSurplus>& batches) {
    return std::ranges::all_of(batches, &OperationSurplus::is_measured);
  };
  if (!are_measured(found)) return {};
  const auto run_flows_of = [&](const WorkPlan& plan, std::vector<OperationSurplus> surpluses) {
    FlowEngine engine(topology, seed, stop, plans_of(plan), std::move(surpluses));
    return run_work(engine, plan);
  };
  std::vector<Point> points;
  try {
    for (const std::uint64_t divisor : kDivisors) {
      Point& point = points.emplace_back();
      point.work = scaled(topology, work, divisor);
      point.alone = alone.of(plans_of(point.work));
      if (!are_measured(point.alone)) return {};
      point.exact = run_work(machine, point.work);
      if (point.exact.incomplete) throw Interrupted("interrupted while flows were calibrated");
      point.later = cycles_of(point.exact);
      const Cycles flow = cycles_of(run_flows_of(point.work, point.alone));
      for (std::size_t p = 0; p < flow.size(); ++p) point.later[p] -= flow[p];
    }
  } catch (const RoutingConflict&) {
    return {};  // planned by themselves they are others
  }
  Point& half = points[0];
  const Point& quarter = points[1];
  add(half.work, quarter.later, 2, half.alone);
  const RunResult told = run_flows_of(half.work, half.alone);
  add(work, half.later, 2, found);
  std::uint64_t largest = 0;
  for (const WorkStep& step : half.work.steps)
    for (const CollectiveSpec& spec : step.specs) largest = std::max(largest, spec.bytes);
  for (OperationSurplus& batch : found) {
    batch.error_percent =
        100 *
        std::abs(static_cast<double>(told.cycles) / static_cast<double>(half.exact.cycles) - 1);
    batch.checked_bytes = largest;
  }
  return found;
}

}  // namespace fredsim
