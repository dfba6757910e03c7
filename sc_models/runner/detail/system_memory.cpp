// SPDX-License-Identifier: Apache-2.0
#include "runner/detail/system_memory.h"

#include <functional>
#include <numeric>

#include "runner/detail/system_calibration.h"
#include "runner/machines.h"

namespace fredsim {
namespace {

// Bytes per link of a system: measured, 340 for a result, and 1710 for its JSON.
constexpr std::uint64_t kResult = 400;
constexpr std::uint64_t kJson = 1800;
// Flows and traffic of a run, and the plans of its exact runs.
constexpr std::uint64_t kFlows = 200;
constexpr std::uint64_t kExactRuns = std::uint64_t{100} << 20;

}  // namespace

std::size_t simulated_nodes(const Topology& topology, bool is_flow) {
  if (!runs_in_steps(topology, is_flow)) return topology.nodes.size();
  std::size_t nodes = 0;
  for (const SystemBlock& block : topology.blocks)
    if (block.topology->flow_only.empty()) nodes += block.topology->nodes.size();
  const std::vector<int> sizes = smaller_sizes(topology);
  const auto npus = std::accumulate(sizes.begin(), sizes.end(), std::size_t{1}, std::multiplies{});
  // Both systems have the blocks; the smaller system is also a machine, with nodes in proportion to
  // its NPUs.
  return 2 * nodes + topology.nodes.size() * npus / topology.npus.size();
}

PlanSize flow_system_size(const Topology& system, bool writes_json) {
  const std::uint64_t links = system.links.size();
  return {.bytes = links * (kResult + (writes_json ? kJson : 0)),
          .run_bytes = links * kFlows + kExactRuns};
}

}  // namespace fredsim
