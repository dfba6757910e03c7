// SPDX-License-Identifier: Apache-2.0
#include "cli/system_surpluses.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include "base/error.h"
#include "cli/flow_results.h"
#include "cli/system_jobs.h"
#include "collective/system_plan.h"
#include "engine/plan_run.h"
#include "flow/system_flows.h"
#include "topology/system.h"

namespace fredsim {
namespace {

std::uint64_t hops_on(const Topology& system, const SystemPlan& plan) {
  const FlowTraffic traffic = system_traffic(system, plan);
  return std::accumulate(traffic.flits.begin(), traffic.flits.end(), std::uint64_t{0});
}

// A collective on another system, of as many NPUs in each dimension or all that it has there; those of the lowest places; without a
// group where the root is not among them.
CollectiveSpec on_smaller(const Topology& system, const Topology& smaller, const Part& part) {
  const SystemPlaces places(system), there(smaller);
  std::vector<std::vector<int>> in(static_cast<std::size_t>(places.dimensions()));
  for (int d = 0; d < places.dimensions(); ++d) {
    std::set<int> found;
    for (const NodeId member : part.members) found.insert(places.place(member, d));
    in[d].assign(found.begin(), found.end());
  }
  CollectiveSpec spec;
  spec.collective = part.collective;
  spec.algorithm = part.asked_algorithm;
  spec.bytes = part.bytes;
  spec.vc = part.vc;
  for (int r = 0; r < std::ssize(part.members); ++r) {
    int npu = 0, stride = 1;
    bool is_there = true;
    for (int d = 0; d < places.dimensions(); ++d) {
      const auto at = std::ranges::find(in[d], places.place(part.members[r], d)) - in[d].begin();
      is_there = is_there && at < there.size(d);
      npu += stride * static_cast<int>(at);
      stride *= there.size(d);
    }
    if (!is_there && r == part.root) return {};
    if (!is_there) continue;
    if (r == part.root) spec.root = static_cast<int>(spec.group.size());
    spec.group.push_back(npu);
  }
  return spec;
}

OperationSurplus of_steps(const SystemPlan& plan, StepSurplus& surplus_of) {
  OperationSurplus surplus{.is_measured = true};
  for (const SystemStep& step : plan.steps) {
    const auto cycles = surplus_of.of(step);
    surplus.is_measured = surplus.is_measured && cycles.has_value();
    surplus.steps.push_back(cycles.value_or(0));
  }
  return surplus;
}

}  // namespace

SystemSurpluses::SystemSurpluses(const MachineConfig& config, const FabricOptions& options,
                                 const std::string& name)
    : config_(config),
      smaller_(reload_config(config, resized_settings(config, smaller_sizes(config.topology)))),
      surplus_(config, options, name) {
  if (!smaller_.topology.flow_only.empty()) return;
  const std::string of_smaller = name + "_smaller";
  smaller_surplus_ = std::make_unique<StepSurplus>(smaller_, options, of_smaller);
  smaller_machine_ = std::make_unique<Machine>(of_smaller.c_str(), smaller_.topology, options);
}

std::string SystemSurpluses::measured_on() const {
  std::string name = smaller_.topology.name;
  if (smaller_.topology.npus.size() != config_.topology.npus.size())
    name += fmt::format(" with {} NPUs", smaller_.topology.npus.size());
  return name + surplus_.extrapolations();
}

std::vector<OperationSurplus> SystemSurpluses::of(
    std::span<const std::shared_ptr<const PreparedPlan>> plans) {
  std::vector<OperationSurplus> surpluses;
  for (const auto& plan : plans) surpluses.push_back(surplus_of(*plan));
  return surpluses;
}

OperationSurplus SystemSurpluses::surplus_of(const PreparedPlan& plan) {
  OperationSurplus surplus = of_steps(*plan.system, surplus_);
  if (!surplus.is_measured) return surplus;
  const auto error = error_of(plan.plan.parts.front());
  surplus.is_measured = error.has_value();
  if (error) {
    surplus.error_percent = error->percent;
    surplus.checked_bytes = error->bytes;
  }
  return surplus;
}

std::optional<SystemSurpluses::Error> SystemSurpluses::error_of(const Part& collective) {
  if (!smaller_machine_) return std::nullopt;
  const CollectiveSpec spec = on_smaller(config_.topology, smaller_.topology, collective);
  const Shape shape{spec.collective, spec.algorithm, spec.bytes, spec.vc, spec.group, spec.root};
  const auto known = known_.find(shape);
  if (known != known_.end()) return known->second;
  return known_[shape] = measured(spec);
}

std::optional<SystemSurpluses::Error> SystemSurpluses::measured(const CollectiveSpec& asked) {
  if (asked.group.size() < 2) return std::nullopt;
  const Topology& system = smaller_.topology;
  CollectiveSpec spec = asked;
  SystemPlan plan = plan_system(system, {&spec, 1});
  while (hops_on(system, plan) > kMaxCheckedHops && spec.bytes > 1) {
    spec.bytes /= 2;
    plan = plan_system(system, {&spec, 1});
  }
  const OperationSurplus surplus = of_steps(plan, *smaller_surplus_);
  if (!surplus.is_measured) return std::nullopt;
  const RunResult exact = run_plan(*smaller_machine_, expanded(system, plan));
  if (exact.incomplete) throw Interrupted("interrupted while flows were calibrated");
  const double flow = run_system_flows(system, plan, surplus.steps).end;
  const auto cycles = static_cast<double>(flow_cycles(flow));
  return Error{.percent = 100 * std::abs(cycles / static_cast<double>(exact.cycles) - 1),
               .bytes = spec.bytes};
}

}  // namespace fredsim
