// SPDX-License-Identifier: Apache-2.0
#include "runner/detail/machine_calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "collective/planner.h"
#include "engine/communicator_run.h"
#include "engine/plan_run.h"
#include "flow/flow_run.h"
#include "plan/link_load.h"
#include "runner/flow_engine.h"
#include "systems/make_plan.h"

namespace fredsim {
namespace {

constexpr double kTriedSteps = kMaxExactSteps / 3;
constexpr int kRuns = 3;          // sizes of a large shape, each half of the one before
constexpr double kOfLargest = 2;  // max cost of all sizes, relative to the largest
constexpr double kMinHanded = 0.01;

// True if no part waits for another part.
bool follows_from_starts(const Plan& plan) {
  return std::ranges::all_of(plan.parts, [](const Part& part) { return part.after.empty(); });
}

bool begin_together(const Plan& plan) {
  return follows_from_starts(plan) && std::ranges::all_of(plan.parts, [&](const Part& part) {
           return part.start_cycle == plan.parts.front().start_cycle;
         });
}

bool follows_from_sizes(const Plan& plan) {
  return follows_from_starts(plan) && std::ranges::none_of(plan.parts, [](const Part& part) {
           return part.collective == Collective::kAllToAllV;
         });
}

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

// Plans the same collectives alone, with sizes in proportion; `bytes`: size of the largest.
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

// True for each rank of a part that gets a result.
std::vector<bool> with_results(const Plan& plan, int part) {
  std::vector<bool> sees(plan.parts[part].members.size());
  for (const Tree& tree : plan.trees) {
    if (tree.part != part) continue;
    for (const TreeRank& rank : tree.ranks) sees[rank.rank] = sees[rank.rank] || rank.receives;
  }
  return sees;
}

using RankCycles = std::vector<std::vector<double>>;  // by part

// Completion times of ranks for a plan that an engine runs alone.
RankCycles rank_cycles(RunEngine& engine, const PreparedPlan& plan) {
  RankCycles cycles;
  for (const Part& part : plan.plan.parts) cycles.emplace_back(part.members.size());
  engine.operations().on_rank_complete([&](OperationHandle, int part, int rank) {
    cycles[part][rank] = static_cast<double>(engine.operations().cycle());
  });
  const RunSteps steps{.routes = plan.needs_online_routes,
                       .memoises = false,
                       .issue = [&] { engine.operations().issue(engine.plans().front(), {}, {}); },
                       .fill = [](RunResult&) {}};
  complete(engine.run(steps, {}));
  return cycles;
}

RankCycles flow_cycles_of(const Machine& machine, const std::shared_ptr<const PreparedPlan>& plan) {
  FlowEngine engine(machine.topology(), {&plan, 1}, {.stop = machine.options().stop});
  return rank_cycles(engine, *plan);
}

struct Point {
  std::uint64_t bytes = 0;
  RankCycles exact{}, flow{};
};

Point point_of(Machine& machine, const std::shared_ptr<const PreparedPlan>& plan,
               std::uint64_t bytes) {
  ExactRun engine(machine, {&plan, 1});
  return {
      .bytes = bytes, .exact = rank_cycles(engine, *plan), .flow = flow_cycles_of(machine, plan)};
}

// Points, largest first; a single point is the plan itself.
std::vector<Point> points_of(Machine& machine, const std::shared_ptr<const PreparedPlan>& whole,
                             std::uint64_t max_hops) {
  const Topology& topology = machine.topology();
  std::uint64_t bytes = largest_bytes(whole->plan);
  std::uint64_t cost = flit_hops(topology, whole->plan);
  if (cost <= max_hops) return {point_of(machine, whole, bytes)};
  if (!follows_from_sizes(whole->plan)) return {};
  for (; cost > max_hops; cost /= 2) bytes /= 2;
  if (bytes <= kMinShapeBytes) return {};
  std::vector<Point> points;
  try {
    for (int r = 0; r < kRuns; ++r, bytes /= 2)
      points.push_back(point_of(machine, scaled(topology, whole->plan, bytes), bytes));
  } catch (const RoutingConflict&) {
    return {};  // planned alone it is a different plan
  }
  return points;
}

CalibrationOffset measured(Machine& machine, const std::shared_ptr<const PreparedPlan>& whole,
                           std::uint64_t max_hops) {
  const std::vector<Point> points = points_of(machine, whole, max_hops);
  if (points.empty()) return {};
  const bool is_whole = points.size() == 1;
  const std::uint64_t own = largest_bytes(whole->plan);
  const RankCycles flow = is_whole ? points[0].flow : flow_cycles_of(machine, whole);
  CalibrationOffset found{.is_measured = true, .checked_bytes = points[0].bytes};
  double predicted_end = 0, exact_end = 0;
  for (std::size_t p = 0; p < flow.size(); ++p) {
    auto& ranks = found.ranks.emplace_back();
    const std::vector<bool> sees_results = with_results(whole->plan, static_cast<int>(p));
    for (std::size_t r = 0; r < flow[p].size(); ++r) {
      const auto offset = [&](const Point& point) { return point.exact[p][r] - point.flow[p][r]; };
      // Interpolates on the line through two points.
      const auto at = [&](const Point& low, const Point& high, std::uint64_t size) {
        return offset(high) + (offset(high) - offset(low)) *
                                  (static_cast<double>(size) - static_cast<double>(high.bytes)) /
                                  static_cast<double>(high.bytes - low.bytes);
      };
      RankOffset& rank = ranks.emplace_back();
      rank.cycles = is_whole ? offset(points[0]) : at(points[1], points[0], own);
      if (!sees_results[r] && rank.cycles < 0 && flow[p][r] > 0) {
        rank.handed = std::clamp((flow[p][r] + rank.cycles) / flow[p][r], kMinHanded, 1.0);
        if (rank.handed < 1) rank.cycles = 0;
      }
      if (is_whole) continue;
      predicted_end =
          std::max(predicted_end, points[0].flow[p][r] + at(points[2], points[1], points[0].bytes));
      exact_end = std::max(exact_end, points[0].exact[p][r]);
    }
  }
  if (exact_end > 0) found.error_percent = 100 * std::abs(predicted_end / exact_end - 1);
  return found;
}

}  // namespace

Calibrator::ExactRun exact_run_on(Machine& machine) {
  return [&machine](const Plan& plan) {
    const RunResult result = complete(run_plan(machine, plan));
    Calibrator::ExactTimes times{.all = static_cast<double>(result.cycles)};
    for (const auto& part : result.parts) times.parts.push_back(static_cast<double>(part.cycles));
    return times;
  };
}

MachineCalibration::MachineCalibration(const Topology& topology, Machine* machine,
                                       std::uint64_t seed, const Calibrator::Calibrations& known)
    : topology_(topology),
      machine_(machine),
      seed_(seed),
      calibrator_(topology, machine != nullptr ? exact_run_on(*machine) : nullptr, kMaxExactSteps) {
  calibrator_.add(known);
}

// ---- concurrent collectives

struct MachineCalibration::Together {
  Together(const Topology& topology, std::vector<const Part*> of)
      : parts(std::move(of)),
        shape(calibrated_work(topology, parts)),
        bytes(std::ranges::max(parts, {}, &Part::bytes)->bytes) {}
  Together(const Topology& topology, const Plan& plan) : Together(topology, parts_of(plan)) {}
  static std::vector<const Part*> parts_of(const Plan& plan) {
    std::vector<const Part*> parts;
    for (const Part& part : plan.parts) parts.push_back(&part);
    return parts;
  }

  std::vector<const Part*> parts;
  std::optional<CalibratedWork> shape;  // none: not determined by sizes
  std::uint64_t bytes;                  // size of the largest
};

// Error of concurrent collectives; none: unknown.
std::optional<FlowErrorResult> MachineCalibration::error_of(const Together& of) const {
  if (!of.shape) return std::nullopt;
  FlowErrorResult result{.measured_on = topology_.name, .sizes = {of.bytes}};
  // A file may have a run of exactly these parts.
  if (calibrator_.has_run(*of.shape, of.bytes) &&
      std::ranges::equal(specs_of(*of.shape, of.bytes), of.parts, {}, &CollectiveSpec::bytes,
                         &Part::bytes))
    return result;
  FlowError error = calibrator_.error_at(*of.shape, of.bytes);
  if (error.sizes.empty()) return std::nullopt;
  result.sizes = std::move(error.sizes);
  result.mean_percent = error.mean_percent;
  result.worst_percent = error.worst_percent;
  return stated(std::move(result), {.percent = kBetweenSizesOfAim * aim_at(of.bytes)});
}

std::optional<RunResult> MachineCalibration::exact_run(const Plan& plan, const Together& of) {
  if (machine_ == nullptr || !of.shape) return {};
  const double cycles = run_flows(topology_, plan).end;
  const double steps = exact_steps(topology_, link_flits(topology_, plan), cycles);
  std::uint64_t most = RunLimits::kNever;
  if (steps > kMaxExactSteps) {
    if (too_long_.contains(*of.shape)) return {};
    most = static_cast<std::uint64_t>(cycles * kTriedSteps / steps);
  }
  RunResult result = run_plan(*machine_, plan, {}, most);
  const std::atomic<bool>* const stop = machine_->options().stop;
  if (!result.incomplete || (stop != nullptr && *stop)) return complete(std::move(result));
  too_long_.insert(*of.shape);
  return {};
}

MachineCalibration::OfPlan MachineCalibration::offset_of(const Plan& plan, std::uint64_t max_hops) {
  const Together of(topology_, plan);
  const std::optional<RunResult> exact = flit_hops(topology_, plan) <= max_hops
                                             ? complete(run_plan(*machine_, plan))
                                             : exact_run(plan, of);
  if (exact) return {static_cast<double>(exact->cycles) - run_flows(topology_, plan).end, true};
  return {std::ranges::max(offsets(of)), error_of(of).has_value()};
}

// Calibration offsets by part.
std::vector<double> MachineCalibration::offsets(const Together& of) {
  std::vector<double> offset(of.parts.size());
  if (!of.shape) return offset;
  const Calibration& calibration = calibrator_.at(*of.shape, of.bytes);
  for (std::size_t p = 0; p < offset.size(); ++p) offset[p] = calibration.offset(p, of.bytes);
  return offset;
}

RunResult MachineCalibration::run(const AnyPlan& work) {
  const Plan& plan = std::get<Plan>(work);
  const Together all(topology_, plan);
  std::optional<FlowErrorResult> error;
  if (follows_from_starts(plan)) error = error_of(all);
  if (!error) {
    if (std::optional<RunResult> exact = exact_run(plan, all))
      return flow_result_of(topology_, flow_traffic(topology_, plan), *std::move(exact));
  }
  std::vector<double> offset;
  if (error || begin_together(plan)) {
    offset = offsets(all);
  } else {
    for (const Part* part : all.parts)
      offset.push_back(offsets({topology_, std::vector{part}}).front());
  }
  RunResult result = run_as_flows(topology_, plan, offset).result;
  result.flow = FlowResult{.error = std::move(error)};
  result.seed = seed_;
  fill_flow_links(topology_, flow_traffic(topology_, plan), result);
  return result;
}

// ---- single operations

std::vector<CalibrationOffset> MachineCalibration::of(
    std::span<const std::shared_ptr<const PreparedPlan>> plans) {
  std::vector<std::string> shapes;
  std::set<std::string> unknown;
  for (const auto& plan : plans) {
    shapes.push_back(shape_of(topology_, plan->plan));
    if (!known_.contains(shapes.back())) unknown.insert(shapes.back());
  }
  std::vector<CalibrationOffset> offsets;
  for (std::size_t p = 0; p < plans.size(); ++p) {
    auto known = known_.find(shapes[p]);
    if (known == known_.end()) {
      const auto max_hops = static_cast<std::uint64_t>(
          static_cast<double>(kMaxShapeHops) / kOfLargest / static_cast<double>(unknown.size()));
      known = known_
                  .emplace(shapes[p], machine_ != nullptr ? measured(*machine_, plans[p], max_hops)
                                                          : CalibrationOffset())
                  .first;
    }
    offsets.push_back(known->second);
  }
  return offsets;
}

}  // namespace fredsim
