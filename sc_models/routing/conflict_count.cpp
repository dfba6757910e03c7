// SPDX-License-Identifier: Apache-2.0
#include "routing/conflict_count.h"

#include <utility>

namespace fredsim {

ConflictCounts count_conflicts(const FlowSets& sets, std::span<const int> middles,
                               const std::atomic<bool>& stop) {
  std::vector<std::uint64_t> conflicts(middles.size());
  Random random(mix64(sets.seed) ^ static_cast<std::uint64_t>(sets.flows));
  std::uint64_t trial = 0;
  for (; trial < sets.trials && !stop; ++trial) {
    const std::vector<Flow> flows = random_flows(random, sets.kind, sets.ports, sets.flows);
    for (std::size_t i = 0; i < middles.size(); ++i)
      if (!has_routing({sets.ports, middles[i]}, flows)) ++conflicts[i];
  }
  return {trial, std::move(conflicts)};
}

std::vector<std::uint64_t> count_conflicts(const FlowSets& sets, std::span<const int> middles) {
  return count_conflicts(sets, middles, false).conflicts;
}

}  // namespace fredsim
