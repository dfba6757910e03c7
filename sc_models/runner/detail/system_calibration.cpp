// SPDX-License-Identifier: Apache-2.0
#include "runner/detail/system_calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <ranges>
#include <set>
#include <tuple>
#include <utility>

#include "engine/plan_run.h"
#include "flow/calibration.h"
#include "flow/system_flows.h"
#include "runner/flow_results.h"
#include "topology/system.h"

namespace fredsim {
namespace {

constexpr std::size_t kMostSizes = 3;  // max number of sizes for an error
constexpr std::array<std::uint64_t, 10> kCheckedSizes{4 * kKiB,   16 * kKiB, 128 * kKiB, 256 * kKiB,
                                                      512 * kKiB, 2 * kMiB,  4 * kMiB,   8 * kMiB,
                                                      32 * kMiB,  64 * kMiB};
constexpr std::array<std::uint64_t, 3> kLimits{64 * kKiB, kMiB, 16 * kMiB};

// Index of the size range: up to the first of kLimits, from there to the next, and so on.
std::ptrdiff_t range_of(std::uint64_t bytes) {
  return std::ranges::lower_bound(kLimits, bytes) - kLimits.begin();
}

// True for groups of equal size that do the same.
bool do_the_same(const Part& a, const Part& b) {
  return a.collective == b.collective && a.bytes == b.bytes && a.vc == b.vc &&
         a.algorithms == b.algorithms && a.members.size() == b.members.size();
}

// Half the size of a block if possible, else the size itself.
int halved(const SystemBlock& block, int size) {
  if (block.facts.links == nullptr || size <= 2) return size;
  const int half = size / 2;
  return half < block.facts.min_size ? 2 : half;
}

std::uint64_t flit_hops(const Topology& system, const SystemPlan& plan) {
  const FlowTraffic traffic = flow_traffic(system, plan);
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

class SystemCalibration::SmallerSystem {
 public:
  struct Checked {
    std::uint64_t bytes = 0;
    double percent = 0;  // difference between flows and the exact run
  };

  SmallerSystem(const MachineConfig& system, const FabricOptions& options, const std::string& name);

  // Compares one of SystemPlan::collectives of the large system, at the given or its own size,
  // halved until the run is short enough; none: the run would take long, a step has no offset, or
  // the system cannot run exactly.
  std::optional<Checked> check(const Part& collective, const Chunking& chunking,
                               std::optional<std::uint64_t> bytes = {});
  // True if it is as large as the large system and runs exactly.
  bool is_whole() const {
    return machine_ != nullptr && smaller_.topology.npus.size() == system_.topology.npus.size();
  }
  // Runs a plan of the large system, if this one is as large.
  RunResult exact_run(const SystemPlan& plan) {
    return complete(run_plan(*machine_, expanded(smaller_.topology, plan)));
  }
  std::string name() const;  // "system with 64 NPUs"

 private:
  CollectiveSpec spec_here(const Part& collective) const;

  const MachineConfig& system_;
  MachineConfig smaller_;
  std::unique_ptr<StepOffset> offset_{};  // null: it cannot run exactly
  std::unique_ptr<Machine> machine_{};
  // Collective, algorithms, bytes, virtual channel, chunks, group and root.
  using Shape =
      std::tuple<Collective, std::string, std::uint64_t, int, Chunking, std::vector<int>, int>;
  std::map<Shape, std::optional<Checked>> known_;
};

SystemCalibration::SmallerSystem::SmallerSystem(const MachineConfig& system,
                                                const FabricOptions& options,
                                                const std::string& name)
    : system_(system),
      smaller_(reload_config(system, resized_settings(system, smaller_sizes(system.topology)))) {
  if (!smaller_.topology.flow_only.empty()) return;
  offset_ = std::make_unique<StepOffset>(smaller_, options, name);
  machine_ = std::make_unique<Machine>(name.c_str(), smaller_.topology, options);
}

std::string SystemCalibration::SmallerSystem::name() const {
  const std::size_t npus = smaller_.topology.npus.size();
  if (npus == system_.topology.npus.size()) return smaller_.topology.name;
  return fmt::format("{} with {} NPUs", smaller_.topology.name, npus);
}

// Collective on this system; without a group if the root's place does not exist here.
CollectiveSpec SystemCalibration::SmallerSystem::spec_here(const Part& collective) const {
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

std::optional<SystemCalibration::SmallerSystem::Checked> SystemCalibration::SmallerSystem::check(
    const Part& collective, const Chunking& chunking, std::optional<std::uint64_t> bytes) {
  if (!machine_) return std::nullopt;
  CollectiveSpec spec = spec_here(collective);
  if (spec.group.size() < 2) return std::nullopt;
  spec.chunking = chunking;
  const Topology& system = smaller_.topology;
  const auto takes_long = [&] {
    return flit_hops(system, plan_system(system, {&spec, 1})) > kMaxCheckedHops;
  };
  if (bytes)
    spec.bytes = *bytes;
  else
    while (spec.bytes > 1 && takes_long()) spec.bytes /= 2;
  const auto [known, is_new] = known_.try_emplace(
      Shape{spec.collective, spec.algorithm, spec.bytes, spec.vc, chunking, spec.group, spec.root});
  std::optional<Checked>& point = known->second;
  if (!is_new || takes_long()) return point;
  const SystemPlan plan = plan_system(system, {&spec, 1});
  const CalibrationOffset offset = offset_->of(plan);
  if (!offset.is_measured) return point;
  const auto exact = static_cast<double>(exact_run(plan).cycles);
  const auto flow = static_cast<double>(flow_cycles(run_flows(system, plan, offset.steps).end));
  point = Checked{spec.bytes, 100 * std::abs(flow / exact - 1)};
  return point;
}

SystemCalibration::SystemCalibration(const MachineConfig& config, const FabricOptions& options,
                                     const std::string& name)
    : config_(config),
      seed_(options.seed),
      offset_(config, options, name),
      smaller_(std::make_unique<SmallerSystem>(config, options, name + "_smaller")) {}

SystemCalibration::~SystemCalibration() = default;

std::string SystemCalibration::measured_on() const {
  return smaller_->name() + offset_.extrapolations();
}

std::vector<CalibrationOffset> SystemCalibration::of(
    std::span<const std::shared_ptr<const PreparedPlan>> plans) {
  std::vector<CalibrationOffset> offsets;
  for (const auto& plan : plans) {
    CalibrationOffset& offset = offsets.emplace_back(offset_.of(*plan->system));
    if (!offset.is_measured) continue;
    const auto checked = smaller_->check(plan->system->collectives.front(), plan->system->chunking);
    offset.is_measured = checked.has_value();
    if (!checked) continue;
    offset.error_percent = checked->percent;
    offset.checked_bytes = checked->bytes;
  }
  return offsets;
}

std::optional<FlowErrorResult> SystemCalibration::error_of(const SystemPlan& plan) {
  const Part& collective = plan.collectives.front();
  if (!std::ranges::all_of(plan.collectives,
                           [&](const Part& other) { return do_the_same(other, collective); }))
    return std::nullopt;
  FlowErrorResult result{.measured_on = measured_on()};
  std::vector<double> percents;
  // Sizes from the largest down: the next one is used if a size of the same range is too large.
  for (const std::uint64_t size : kCheckedSizes | std::views::reverse) {
    const bool is_near = range_of(size) == range_of(collective.bytes);
    if (percents.size() >= kMostSizes || (!is_near && size > collective.bytes)) continue;
    const auto point = smaller_->check(collective, plan.chunking, size);
    if (!point) continue;
    result.sizes.insert(result.sizes.begin(), point->bytes);
    percents.insert(percents.begin(), point->percent);
  }
  if (percents.empty()) return std::nullopt;
  for (const double percent : percents)
    result.mean_percent += percent / static_cast<double>(percents.size());
  result.worst_percent = std::ranges::max(percents);
  return stated(std::move(result), kSystemMargin);
}

RunResult SystemCalibration::run(const AnyPlan& work) {
  const auto& plan = std::get<SystemPlan>(work);
  const Topology& system = config_.topology;
  const FlowTraffic traffic = flow_traffic(system, plan);
  if (smaller_->is_whole() &&
      exact_steps(system, traffic.flits, run_flows(system, plan).end) <= kMaxExactSteps)
    return flow_result_of(system, traffic, smaller_->exact_run(plan));
  const CalibrationOffset offset = offset_.of(plan);
  std::optional<FlowErrorResult> error;
  if (offset.is_measured) error = error_of(plan);
  RunResult result = run_as_flows(system, plan, offset.steps).result;
  result.flow = FlowResult{.error = std::move(error)};
  result.seed = seed_;
  fill_flow_links(system, traffic, result);
  return result;
}

}  // namespace fredsim
