#include "routing/conflict_count.h"

namespace fredsim {

std::vector<std::uint64_t> count_conflicts(const FlowSets& sets, std::span<const int> middles) {
  std::vector<std::uint64_t> conflicts(middles.size());
  Random random(mix64(sets.seed) ^ static_cast<std::uint64_t>(sets.flows));
  for (std::uint64_t trial = 0; trial < sets.trials; ++trial) {
    const std::vector<Flow> flows = random_flows(random, sets.kind, sets.ports, sets.flows);
    for (std::size_t i = 0; i < middles.size(); ++i)
      if (!has_routing({sets.ports, middles[i]}, flows)) ++conflicts[i];
  }
  return conflicts;
}

}  // namespace fredsim
