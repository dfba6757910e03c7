// SPDX-License-Identifier: Apache-2.0
#include "runner/bandwidth_jobs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "base/error.h"
#include "optimize/bandwidth_search.h"
#include "optimize/link_costs.h"
#include "optimize/simulated_search.h"
#include "optimize/workload_time.h"
#include "runner/detail/simulated_time.h"

namespace fredsim {
namespace {

constexpr std::uint64_t kSimulatedEvaluations = 200;

std::vector<std::string> names_of(const std::vector<SearchedBandwidth>& searched) {
  std::vector<std::string> names;
  for (const SearchedBandwidth& one : searched) names.push_back(one.dimension);
  return names;
}

AllocationSpace space_of(const BandwidthOptions& options, const std::vector<std::string>& names) {
  AllocationSpace space(names, options.total_gbps);
  for (const BandwidthBound& b : options.at_least)
    space.add_at_least(b.dimensions.front(), b.gbps, b.text);
  for (const BandwidthBound& b : options.at_most)
    space.add_at_most(b.dimensions.front(), b.gbps, b.text);
  for (const BandwidthBound& b : options.sums) space.add_sum(b.dimensions, b.gbps, b.text);
  if (options.descends) space.add_descending("--order descending");
  return space;
}

std::vector<double> dollars_of(const BandwidthOptions& options,
                               const std::vector<SearchedBandwidth>& searched) {
  const std::vector<std::string> names = names_of(searched);
  std::vector<double> given(names.size(), -1.0);
  for (const auto& [name, dollars] : options.dollars) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) {
      throw BadInput(
          fmt::format("--cost: found dimension '{}'; allowed: {}", name, fmt::join(names, ", ")));
    }
    given[found - names.begin()] = dollars;
  }
  std::vector<bool> switches;
  for (const SearchedBandwidth& one : searched) switches.push_back(one.has_switch);
  return dollars_per_gbps(names, switches, given);
}

TimeModel model_of(const MachineConfig& machine, const BandwidthOptions& options) {
  SystemSizes system{.name = machine.topology.name};
  for (const SystemBlock& block : machine.topology.blocks)
    system.sizes.push_back(static_cast<int>(block.topology->npus.size()));
  if (options.workloads.empty())
    return collective_time(Collective::kAllReduce, static_cast<double>(options.all_reduce_bytes),
                           system);
  TimeModel all(system.sizes.size());
  for (std::size_t w = 0; w < options.workloads.size(); ++w) {
    const TrainOptions& workload = options.workloads[w];
    if (workload.source == TrainOptions::Source::kText) {
      all.add(text_time(read_text_workload(workload.workload), workload.workload, workload.text_mp,
                        options.accounting, system),
              options.weights[w]);
      continue;
    }
    const ModelShape model = model_of(workload);
    all.add(model_time(model, workload.training, {.npu = machine.compute}, system),
            options.weights[w]);
  }
  return all;
}

OptimumSetup setup_of(const MachineConfig& machine, const BandwidthOptions& options) {
  OptimumSetup setup{
      .config = machine.path,
      .settings = machine.settings,
      .machine = machine.keys,
      .fabric = machine.topology.name,
      .npus = static_cast<int>(machine.topology.npus.size()),
      .is_flow = options.is_flow,
      .has_cost = options.has_cost,
      .accounting = stated_text(row_of(kBandwidthRows, "--accounting"), options, kEverywhere),
      .total_gbps = options.total_gbps,
      .weights = options.weights};
  for (const auto* bounds : {&options.at_least, &options.at_most, &options.sums})
    for (const BandwidthBound& b : *bounds) setup.constraints.push_back(b.text);
  if (options.descends) setup.constraints.emplace_back("--order descending");
  for (const TrainOptions& workload : options.workloads)
    setup.workloads.push_back(workload.workload);
  if (setup.workloads.empty())
    setup.workloads.push_back(fmt::format("an all-reduce of {} bytes", options.all_reduce_bytes));
  return setup;
}

double cost_of(const std::vector<double>& gbps, const std::vector<double>& dollars) {
  return std::inner_product(gbps.begin(), gbps.end(), dollars.begin(), 0.0);
}

// Optimum by simulation. `dollars`: empty if time is minimised.
Optimum simulated(const SimulatedTime& time, AllocationSpace space, const BandwidthOptions& options,
                  const std::vector<double>& dollars, std::vector<double> start) {
  for (std::size_t d = 0; d < space.size(); ++d) {
    const double most = time.most(d, space.total());
    const std::string& name = space.dimensions()[d];
    if (most < space.total())
      space.add_at_most(name, most, fmt::format("{:g} GB/s, what links of {} take", most, name));
  }
  const SimulatedSearch search{.start = std::move(start),
                               .max_evaluations = options.max_evaluations > 0
                                                      ? options.max_evaluations
                                                      : kSimulatedEvaluations};
  const auto objective = [&](const std::vector<double>& gbps) {
    return time(gbps) * (dollars.empty() ? 1 : cost_of(gbps, dollars));
  };
  Optimum found = least_simulated(objective, space, search);
  found.time_ns = found.objective / (dollars.empty() ? 1 : cost_of(found.gbps, dollars));
  return found;
}

}  // namespace

FoundBandwidths find_bandwidths(const MachineConfig& machine, const BandwidthOptions& options) {
  const std::vector<SearchedBandwidth> searched = searched_bandwidths(machine);
  const bool is_system = machine.topology.has_blocks();
  if (!is_system && !options.is_flow) {
    throw BadInput(
        fmt::format("{}: found a machine of type {}; allowed: fabric.type dimensions, "
                    "or --engine flow",
                    machine.path, machine.topology.kind));
  }
  const AllocationSpace space = space_of(options, names_of(searched));
  space.check();
  const std::vector<double> dollars =
      options.has_cost ? dollars_of(options, searched) : std::vector<double>{};
  const std::uint64_t limit = options.is_flow || options.max_evaluations == 0
                                  ? kMaxModelEvaluations
                                  : options.max_evaluations;
  std::optional<TimeModel> model;
  Optimum found;
  if (is_system) {
    model = model_of(machine, options);
    found = options.has_cost ? least_time_cost(*model, space, dollars, limit)
                             : least_time(*model, space, limit);
  }
  std::optional<SimulatedTime> simulation;
  if (options.is_flow) {
    simulation.emplace(machine, searched, options);
    found = simulated(*simulation, space, options, dollars, found.gbps);
  }
  FoundBandwidths all{.setup = setup_of(machine, options),
                      .result = {.objective = found.objective,
                                 .time_ns = found.time_ns,
                                 .converged = found.converged,
                                 .evaluations = found.evaluations}};
  for (std::size_t d = 0; d < searched.size(); ++d)
    all.result.bandwidths.push_back({.dimension = searched[d].dimension,
                                     .block = searched[d].block,
                                     .gbps = found.gbps[d],
                                     .dollars = options.has_cost ? dollars[d] : 0});
  const std::vector<double> equal(searched.size(),
                                  options.total_gbps / static_cast<double>(searched.size()));
  double equal_objective = 0;
  try {
    equal_objective = space.violation(equal) > 1e-9 ? 0
                      : simulation                  ? (*simulation)(equal)
                                                    : model->time_ns(equal);
  } catch (const BadInput&) {  // more than the links can take
  }
  const double npus = all.setup.npus;
  if (options.has_cost) {
    equal_objective *= cost_of(equal, dollars);
    all.result.dollars = npus * cost_of(found.gbps, dollars);
    all.result.objective *= npus;
    equal_objective *= npus;
  }
  if (equal_objective > 0) all.result.equal_over_optimum = equal_objective / all.result.objective;
  return all;
}

}  // namespace fredsim
