// SPDX-License-Identifier: Apache-2.0
#include "runner/detail/step_offset.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "collective/planner.h"
#include "systems/make_plan.h"

namespace fredsim {
namespace {

// Sizes with a change in one dimension.
std::vector<int> only(int dimension, int size) {
  std::vector<int> sizes(dimension + 1);
  sizes.back() = size;
  return sizes;
}

std::vector<int> all_of(int npus) {
  std::vector<int> group(npus);
  std::iota(group.begin(), group.end(), 0);
  return group;
}

// Renumbers members in their order to the first places of a block.
void use_first_places(std::vector<Part>& parts) {
  std::map<NodeId, NodeId> places;
  for (const Part& part : parts)
    for (const NodeId member : part.members) places.emplace(member, 0);
  NodeId next = 0;
  for (auto& [member, place] : places) place = next++;
  for (Part& part : parts)
    for (NodeId& member : part.members) member = places.at(member);
}

// True for parts that do the same on disjoint NPUs.
bool are_alike(const std::vector<Part>& parts) {
  std::set<NodeId> members;
  std::size_t count = 0;
  for (const Part& part : parts) {
    members.insert(part.members.begin(), part.members.end());
    count += part.members.size();
  }
  const auto shape = [](const Part& part) {
    return std::tuple(part.collective, part.bytes, part.algorithm, part.root, part.members.size());
  };
  return members.size() == count && std::ranges::all_of(parts, [&](const Part& part) {
           return shape(part) == shape(parts.front());
         });
}

Plan plan_of(const Topology& block, const std::vector<Part>& parts) {
  std::vector<CollectiveSpec> specs;
  specs.reserve(parts.size());
  for (const Part& part : parts) specs.push_back(spec_of_part(block, part));
  return make_plan(block, specs);
}

}  // namespace

std::vector<std::string> resized_settings(const MachineConfig& config,
                                          const std::vector<int>& sizes) {
  std::vector<std::string> settings;
  for (std::size_t d = 0; d < std::min(sizes.size(), config.topology.blocks.size()); ++d) {
    const SystemBlock& block = config.topology.blocks[d];
    const auto size = static_cast<int>(block.topology->npus.size());
    if (block.facts.links == nullptr || sizes[d] == 0 || sizes[d] == size) continue;
    const std::string key = fmt::format("fabric.dimensions.{}", d + 1);
    settings.push_back(fmt::format("{}.size={}", key, sizes[d]));
    // Link width is unchanged.
    const auto planes = static_cast<std::uint64_t>(block.topology->nodes.front().ports);
    const auto links_of = [&](int npus) {
      return planes * static_cast<std::uint64_t>(block.facts.links(npus));
    };
    settings.push_back(fmt::format("{}.links={}", key, links_of(sizes[d])));
    settings.push_back(fmt::format("{}.bandwidth={} B/s", key,
                                   block.bandwidth / links_of(size) * links_of(sizes[d])));
  }
  return settings;
}

StepOffset::StepOffset(const MachineConfig& config, const FabricOptions& options,
                       const std::string& name)
    : config_(config) {
  for (int d = 0; d < std::ssize(config.topology.blocks); ++d) {
    const std::shared_ptr<const Topology>& block = config.topology.blocks[d].topology;
    std::vector<Block>& made = blocks_.emplace_back();
    if (block->flow_only.empty()) {
      made.push_back(block_on(block, options, fmt::format("{}_{}", name, d)));
      continue;
    }
    for (const int npus : {kFewNpus, kMoreNpus}) {
      if (npus >= std::ssize(block->npus)) continue;
      const MachineConfig resized = reload_config(config, resized_settings(config, only(d, npus)));
      const std::shared_ptr<const Topology>& smaller = resized.topology.blocks[d].topology;
      if (smaller->flow_only.empty())
        made.push_back(block_on(smaller, options, fmt::format("{}_{}_{}", name, d, npus)));
    }
  }
}

std::string StepOffset::extrapolations() const {
  std::string text;
  for (const SystemBlock& block : config_.topology.blocks) {
    if (block.topology->flow_only.empty()) continue;
    text += fmt::format("; {} of {} extrapolated from {} and {}", block.name,
                        block.topology->npus.size(), kFewNpus, kMoreNpus);
  }
  return text;
}

CalibrationOffset StepOffset::of(const SystemPlan& plan) {
  CalibrationOffset offset{.is_measured = true};
  for (const SystemStep& step : plan.steps) {
    const MachineCalibration::OfPlan known = of_step(step.dimension, step.plan->parts);
    offset.steps.push_back(known.cycles);
    offset.is_measured = offset.is_measured && known.is_measured;
  }
  return offset;
}

MachineCalibration::OfPlan StepOffset::of_step(int dimension, std::vector<Part> parts) {
  if (config_.topology.blocks[dimension].facts.is_symmetrical) {
    if (are_alike(parts)) parts.resize(1);
    use_first_places(parts);
  }
  const Part& first = parts.front();
  StepShape shape{dimension, first.collective, first.bytes, first.vc, {}};
  for (const Part& part : parts)
    std::get<4>(shape).emplace_back(part.algorithm, part.root, part.members);
  const auto known = known_.find(shape);
  if (known != known_.end()) return known->second;
  return known_[std::move(shape)] = measured(dimension, parts);
}

StepOffset::Block StepOffset::block_on(std::shared_ptr<const Topology> topology,
                                       const FabricOptions& options, const std::string& name) {
  Block block{.topology = std::move(topology)};
  block.machine = std::make_unique<Machine>(name.c_str(), *block.topology, options);
  block.calibration =
      std::make_unique<MachineCalibration>(*block.topology, block.machine.get(), options.seed);
  return block;
}

MachineCalibration::OfPlan StepOffset::measured(int dimension,
                                                const std::vector<Part>& parts) const {
  const std::vector<Block>& blocks = blocks_[dimension];
  const SystemBlock& of_system = config_.topology.blocks[dimension];
  const auto offset_of = [&](const Block& block) {
    return block.calibration->offset_of(plan_of(*block.topology, parts), kMaxStepHops);
  };
  if (of_system.topology->flow_only.empty()) return offset_of(blocks.front());
  if (blocks.size() < 2 || !of_system.facts.is_symmetrical) return {};
  const Part& part = parts.front();
  const auto members = static_cast<int>(part.members.size());
  if (parts.size() > 1) return {};
  for (const Block& block : blocks)
    if (members <= block.size()) return offset_of(block);
  bool are_measured = true;
  std::vector<std::pair<double, double>> points;  // NPUs, calibration offset
  for (const Block& block : blocks) {
    const auto bytes =
        std::max<std::uint64_t>(1, part.bytes * static_cast<std::uint64_t>(block.size()) /
                                       static_cast<std::uint64_t>(members));
    const Plan plan =
        make_plan(*block.topology, part.collective, all_of(block.size()), bytes, part.algorithm);
    const MachineCalibration::OfPlan offset = block.calibration->offset_of(plan, kMaxStepHops);
    are_measured = are_measured && offset.is_measured;
    points.emplace_back(block.size(), offset.cycles);
  }
  const double slope = (points[1].second - points[0].second) / (points[1].first - points[0].first);
  return {points[1].second + slope * (members - points[1].first), are_measured};
}

}  // namespace fredsim
