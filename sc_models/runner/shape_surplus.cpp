// SPDX-License-Identifier: Apache-2.0
#include "runner/shape_surplus.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "base/error.h"
#include "collective/planner.h"
#include "engine/communicator_run.h"
#include "flow/flow_operations.h"
#include "plan/link_load.h"
#include "systems/make_plan.h"

namespace fredsim {
namespace {

constexpr int kRuns = 3;          // sizes of a large shape, each half of the one before
constexpr double kOfLargest = 2;  // cost of all, of the largest, at most
constexpr double kMinHanded = 0.01;

std::uint64_t largest_bytes(const Plan& plan) {
  return std::ranges::max(plan.parts, {}, &Part::bytes).bytes;
}

std::string shape_of(const Topology& topology, const Plan& plan) {
  std::string shape;
  for (const Part& part : plan.parts)
    shape += fmt::format("{} {} {} {} {} {} {};", static_cast<int>(part.collective), part.algorithm,
                         part.members.size(), part.bytes, part.vc, part.roots, part.after.size());
  const std::vector<TreeFlow> flows = flows_of(topology, plan);
  for (std::size_t t = 0; t < flows.size(); ++t) {
    const TreeFlow& flow = flows[t];
    double crossings = 0, rates = 0;
    for (const LinkUse& use : flow.demand.uses) {
      crossings += use.crossings;
      rates += topology.links[use.link].rate.value();
    }
    shape += fmt::format("{} {} {} {} {} {}", flow.part, flow.flits, flow.fill,
                         flow.demand.uses.size(), crossings, rates);
    for (const TreeRank& rank : plan.trees[t].ranks)
      shape += fmt::format(" {}{}{}", rank.rank, rank.contributes ? "+" : "-",
                           rank.receives ? "+" : "-");
    shape += ";";
  }
  return shape;
}

bool follows_from_sizes(const Plan& plan) {
  return std::ranges::none_of(plan.parts, [](const Part& part) {
    return part.collective == Collective::kAllToAllV || !part.after.empty();
  });
}

// The same collectives planned by themselves, sizes in proportion; `bytes`: of the largest.
std::shared_ptr<const PreparedPlan> scaled(const Topology& topology, const Plan& plan,
                                           std::uint64_t bytes) {
  const auto largest = static_cast<double>(largest_bytes(plan));
  std::vector<CollectiveSpec> specs;
  for (const Part& part : plan.parts) {
    CollectiveSpec& spec = specs.emplace_back(spec_of_part(topology, part));
    const double share = static_cast<double>(part.bytes) / largest;
    spec.bytes = std::max<std::uint64_t>(
        1, static_cast<std::uint64_t>(std::llround(static_cast<double>(bytes) * share)));
  }
  return prepare(topology, make_plan(topology, specs));
}

std::vector<std::vector<double>> no_cycles(const Plan& plan) {
  std::vector<std::vector<double>> cycles;
  for (const Part& part : plan.parts) cycles.emplace_back(part.members.size());
  return cycles;
}

// By rank of a part.
std::vector<bool> with_results(const Plan& plan, int part) {
  std::vector<bool> sees(plan.parts[part].members.size());
  for (const Tree& tree : plan.trees) {
    if (tree.part != part) continue;
    for (const TreeRank& rank : tree.ranks) sees[rank.rank] = sees[rank.rank] || rank.receives;
  }
  return sees;
}

}  // namespace

ShapeSurpluses::RankCycles ShapeSurpluses::exact_cycles(
    const std::shared_ptr<const PreparedPlan>& plan) {
  ExactRun engine(*machine_, {&plan, 1});
  RankCycles cycles = no_cycles(plan->plan);
  engine.operations().on_rank_complete([&](OperationHandle, int part, int rank) {
    cycles[part][rank] = static_cast<double>(engine.operations().cycle());
  });
  const RunSteps steps{.routes = plan->needs_online_routes,
                       .memoises = false,
                       .issue = [&] { engine.operations().issue(engine.plans().front(), {}, {}); },
                       .fill = [](RunResult&) {}};
  if (engine.run(steps, {}).incomplete)
    throw Interrupted("interrupted while flows were calibrated");
  return cycles;
}

ShapeSurpluses::RankCycles ShapeSurpluses::flow_cycles(
    const std::shared_ptr<const PreparedPlan>& plan) const {
  FlowOperations operations(topology_, {}, machine_->options().stop);
  RankCycles cycles = no_cycles(plan->plan);
  operations.on_rank_complete([&](OperationHandle, int part, int rank) {
    cycles[part][rank] = static_cast<double>(operations.cycle());
  });
  operations.issue(plan, {}, {});
  operations.wait_all();
  return cycles;
}

ShapeSurpluses::Point ShapeSurpluses::point(const std::shared_ptr<const PreparedPlan>& plan,
                                            std::uint64_t bytes) {
  return {.bytes = bytes, .exact = exact_cycles(plan), .flow = flow_cycles(plan)};
}

// The largest first; one: of the plan itself.
std::vector<ShapeSurpluses::Point> ShapeSurpluses::points(
    const std::shared_ptr<const PreparedPlan>& whole, std::uint64_t max_hops) {
  std::uint64_t bytes = largest_bytes(whole->plan);
  std::uint64_t cost = flit_hops(topology_, whole->plan);
  if (cost <= max_hops) return {point(whole, bytes)};
  if (!follows_from_sizes(whole->plan)) return {};
  for (; cost > max_hops; cost /= 2) bytes /= 2;
  if (bytes <= kMinShapeBytes) return {};
  std::vector<Point> points;
  try {
    for (int r = 0; r < kRuns; ++r, bytes /= 2)
      points.push_back(point(scaled(topology_, whole->plan, bytes), bytes));
  } catch (const RoutingConflict&) {
    return {};  // planned by itself it is another one
  }
  return points;
}

OperationSurplus ShapeSurpluses::measure(const std::shared_ptr<const PreparedPlan>& whole,
                                         std::uint64_t max_hops) {
  if (machine_ == nullptr) return {};
  const std::vector<Point> points = this->points(whole, max_hops);
  if (points.empty()) return {};
  const bool is_whole = points.size() == 1;
  const std::uint64_t own = largest_bytes(whole->plan);
  const RankCycles flow = is_whole ? points[0].flow : flow_cycles(whole);
  OperationSurplus found{.is_measured = true, .checked_bytes = points[0].bytes};
  double told_end = 0, exact_end = 0;
  for (std::size_t p = 0; p < flow.size(); ++p) {
    auto& ranks = found.ranks.emplace_back();
    for (std::size_t r = 0; r < flow[p].size(); ++r) {
      const auto surplus = [&](const Point& point) { return point.exact[p][r] - point.flow[p][r]; };
      // On the line through two points.
      const auto at = [&](const Point& low, const Point& high, std::uint64_t size) {
        return surplus(high) + (surplus(high) - surplus(low)) *
                                   (static_cast<double>(size) - static_cast<double>(high.bytes)) /
                                   static_cast<double>(high.bytes - low.bytes);
      };
      RankSurplus& rank = ranks.emplace_back();
      rank.cycles = is_whole ? surplus(points[0]) : at(points[1], points[0], own);
      if (rank.cycles < 0 && flow[p][r] > 0) {
        rank.handed = std::clamp((flow[p][r] + rank.cycles) / flow[p][r], kMinHanded, 1.0);
      }
      if (is_whole) continue;
      told_end =
          std::max(told_end, points[0].flow[p][r] + at(points[2], points[1], points[0].bytes));
      exact_end = std::max(exact_end, points[0].exact[p][r]);
    }
  }
  if (exact_end > 0) found.error_percent = 100 * std::abs(told_end / exact_end - 1);
  for (std::size_t p = 0; p < flow.size(); ++p) {
    const std::vector<bool> sees_results = with_results(whole->plan, static_cast<int>(p));
    for (std::size_t r = 0; r < flow[p].size(); ++r) {
      RankSurplus& rank = found.ranks[p][r];
      if (sees_results[r])
        rank.handed = 1;
      else if (rank.handed < 1)
        rank.cycles = 0;
    }
  }
  return found;
}

std::vector<OperationSurplus> ShapeSurpluses::of(
    std::span<const std::shared_ptr<const PreparedPlan>> plans) {
  std::vector<std::string> shapes;
  std::set<std::string> unknown;
  for (const auto& plan : plans) {
    shapes.push_back(shape_of(topology_, plan->plan));
    if (!known_.contains(shapes.back())) unknown.insert(shapes.back());
  }
  std::vector<OperationSurplus> surpluses;
  for (std::size_t p = 0; p < plans.size(); ++p) {
    auto known = known_.find(shapes[p]);
    if (known == known_.end()) {
      const auto max_hops = static_cast<std::uint64_t>(
          static_cast<double>(kMaxShapeHops) / kOfLargest / static_cast<double>(unknown.size()));
      known = known_.emplace(shapes[p], measure(plans[p], max_hops)).first;
    }
    surpluses.push_back(known->second);
  }
  return surpluses;
}

}  // namespace fredsim
