// SPDX-License-Identifier: Apache-2.0
#include "runner/smaller_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "base/error.h"
#include "engine/plan_run.h"
#include "flow/system_flows.h"
#include "runner/flow_results.h"
#include "topology/system.h"

namespace fredsim {
namespace {

// A size that a block can have in its place; as it is where there is none.
int halved(const SystemBlock& block, int size) {
  if (block.facts.links == nullptr || size <= 2) return size;
  const int half = size / 2;
  return half < block.facts.min_size ? 2 : half;
}

std::uint64_t flit_hops(const Topology& system, const SystemPlan& plan) {
  const FlowTraffic traffic = system_traffic(system, plan);
  return std::accumulate(traffic.flits.begin(), traffic.flits.end(), std::uint64_t{0});
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

double SmallerSystem::Checked::percent() const { return 100 * std::abs(flow / exact - 1); }

SmallerSystem::SmallerSystem(const MachineConfig& system, const FabricOptions& options,
                             const std::string& name)
    : system_(system),
      smaller_(reload_config(system, resized_settings(system, smaller_sizes(system.topology)))) {
  if (!smaller_.topology.flow_only.empty()) return;
  surplus_ = std::make_unique<StepSurplus>(smaller_, options, name);
  machine_ = std::make_unique<Machine>(name.c_str(), smaller_.topology, options);
}

bool SmallerSystem::is_whole() const {
  return machine_ != nullptr && smaller_.topology.npus.size() == system_.topology.npus.size();
}

RunResult SmallerSystem::exact_run(const SystemPlan& plan) {
  RunResult result = run_plan(*machine_, expanded(smaller_.topology, plan));
  if (result.incomplete) throw Interrupted("interrupted while flows were calibrated");
  return result;
}

std::string SmallerSystem::name() const {
  const std::size_t npus = smaller_.topology.npus.size();
  if (npus == system_.topology.npus.size()) return smaller_.topology.name;
  return fmt::format("{} with {} NPUs", smaller_.topology.name, npus);
}

// Without a group where the root is at none of the places here.
CollectiveSpec SmallerSystem::spec_here(const Part& collective) const {
  const SystemPlaces places(system_.topology), here(smaller_.topology);
  std::vector<std::vector<int>> in(static_cast<std::size_t>(places.dimensions()));
  for (int d = 0; d < places.dimensions(); ++d) {
    std::set<int> found;
    for (const NodeId member : collective.members) found.insert(places.place(member, d));
    in[d].assign(found.begin(), found.end());
  }
  CollectiveSpec spec;
  spec.collective = collective.collective;
  spec.algorithm = collective.algorithms;
  spec.bytes = collective.bytes;
  spec.vc = collective.vc;
  for (int r = 0; r < std::ssize(collective.members); ++r) {
    int npu = 0, stride = 1;
    bool is_here = true;
    for (int d = 0; d < places.dimensions(); ++d) {
      const auto at =
          std::ranges::find(in[d], places.place(collective.members[r], d)) - in[d].begin();
      is_here = is_here && at < here.size(d);
      npu += stride * static_cast<int>(at);
      stride *= here.size(d);
    }
    if (!is_here && r == collective.root) return {};
    if (!is_here) continue;
    if (r == collective.root) spec.root = static_cast<int>(spec.group.size());
    spec.group.push_back(npu);
  }
  return spec;
}

std::optional<SmallerSystem::Checked> SmallerSystem::check(const Part& collective,
                                                           std::uint64_t bytes,
                                                           const Chunking& chunking) {
  if (!machine_) return std::nullopt;
  CollectiveSpec spec = spec_here(collective);
  if (spec.group.size() < 2) return std::nullopt;
  spec.bytes = bytes;
  spec.chunking = chunking;
  const auto [known, is_new] = known_.try_emplace(
      Shape{spec.collective, spec.algorithm, bytes, spec.vc, chunking, spec.group, spec.root});
  std::optional<Checked>& point = known->second;
  if (!is_new) return point;
  const Topology& system = smaller_.topology;
  const SystemPlan plan = plan_system(system, {&spec, 1});
  if (flit_hops(system, plan) > kMaxCheckedHops) return point;
  const StepSurplus::OfSteps surplus = surplus_->of(plan);
  if (!surplus.is_measured) return point;
  const RunResult exact = exact_run(plan);
  const double flow = run_system_flows(system, plan, surplus.cycles).end;
  point = Checked{bytes, static_cast<double>(exact.cycles), static_cast<double>(flow_cycles(flow))};
  return point;
}

std::optional<SmallerSystem::Checked> SmallerSystem::check_halved(const Part& collective,
                                                                  const Chunking& chunking) {
  if (!machine_) return std::nullopt;
  CollectiveSpec spec = spec_here(collective);
  if (spec.group.size() < 2) return std::nullopt;
  spec.chunking = chunking;
  while (spec.bytes > 1 &&
         flit_hops(smaller_.topology, plan_system(smaller_.topology, {&spec, 1})) > kMaxCheckedHops)
    spec.bytes /= 2;
  return check(collective, spec.bytes, chunking);
}

}  // namespace fredsim
