// SPDX-License-Identifier: Apache-2.0
#include "runner/work_options.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/int128.h"
#include "runner/group_members.h"

namespace fredsim {

namespace {

// Rounded up.
std::uint64_t cycles_of(std::uint64_t picoseconds, const Topology& topology) {
  constexpr std::uint64_t kPicoseconds = 1'000'000'000'000;
  const Uint128 periods = static_cast<Uint128>(picoseconds) * topology.clock_hz;
  return static_cast<std::uint64_t>((periods + kPicoseconds - 1) / kPicoseconds);
}

}  // namespace

bool WorkOptions::whole_machine() const {
  return std::ranges::any_of(
      items, [](const WorkItem& item) { return std::ranges::any_of(item.groups, has_all_npus); });
}

bool WorkOptions::names_all_controllers() const {
  return std::ranges::any_of(items, [](const WorkItem& item) {
    return std::ranges::any_of(item.groups, fredsim::names_all_controllers);
  });
}

bool WorkOptions::has_order() const {
  return std::ranges::any_of(items, [](const WorkItem& item) {
    return !item.after.empty() || item.delay_ps > 0 || item.delay_cycles > 0 || item.repeat > 1;
  });
}

namespace {

std::vector<CollectiveSpec> specs_of(const WorkItem& item, const WorkOptions& work,
                                     const Topology& topology, std::uint64_t size,
                                     std::uint64_t seed) {
  const std::vector<int> npus = npus_of(work.placement, work.strategy, topology);
  const bool identity = work.placement.kind == Placement::Kind::kIdentity;
  std::vector<CollectiveSpec> specs;
  for (const std::vector<int>& asked : item.groups) {
    for (std::vector<int>& group : groups_on(topology, asked, npus, !identity)) {
      CollectiveSpec& spec = specs.emplace_back();
      spec.collective = item.collective;
      spec.group = std::move(group);
      spec.bytes = item.size.value_or(size);
      spec.algorithm = item.algorithm;
      spec.vc = item.vc;
      spec.root = item.root;
      spec.roots = item.roots;
      spec.order = work.packet_order;
      spec.chunking = work.chunking;
      spec.start_cycle = item.start_cycles + cycles_of(item.start_ps, topology);
      spec.matrix = item.matrix;
      if (item.collective == Collective::kAllToAllV && item.matrix.empty()) {
        spec.matrix = random_matrix(static_cast<int>(spec.group.size()), spec.bytes, seed);
      }
    }
  }
  return specs;
}

}  // namespace

std::vector<WorkStep> steps_of(const WorkOptions& work, const Topology& topology,
                               std::uint64_t size, std::uint64_t seed) {
  std::vector<WorkStep> steps;
  for (const WorkItem& item : work.items) {
    WorkStep& step = steps.emplace_back();
    step.name = item.name;
    step.specs = specs_of(item, work, topology, size, seed);
    for (const WorkItem::After& after : item.after)
      step.after.push_back({after.item, after.all_ranks});
    step.delay = item.delay_cycles + cycles_of(item.delay_ps, topology);
    step.repeat = item.repeat;
  }
  return steps;
}

std::vector<CollectiveSpec> specs_of(const WorkOptions& work, const Topology& topology,
                                     std::uint64_t size, std::uint64_t seed) {
  std::vector<CollectiveSpec> specs;
  for (const WorkItem& item : work.items)
    std::ranges::move(specs_of(item, work, topology, size, seed), std::back_inserter(specs));
  return specs;
}

}  // namespace fredsim
