// SPDX-License-Identifier: Apache-2.0
#include "step_costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace fredsim::speed {
namespace {

double median_ns(const Topology& topology, std::span<const RecordedSwitch* const> of,
                 Machine& machine, std::uint64_t cycles, int lanes, int rounds) {
  std::vector<Replayed> switches;
  for (const RecordedSwitch* one : of) {
    switches.push_back({&one->recording, &machine.fabric().switch_core(one->node),
                        topology.nodes[one->node].ports});
  }
  std::vector<double> seconds;
  for (int round = 0; round < rounds; ++round) seconds.push_back(replay(switches, lanes));
  std::ranges::nth_element(seconds, seconds.begin() + rounds / 2);
  return seconds[static_cast<std::size_t>(rounds / 2)] * 1e9 /
         (static_cast<double>(cycles) * static_cast<double>(of.size()));
}

}  // namespace

std::vector<StepCost> step_costs(const Topology& topology, std::span<const RecordedSwitch> recorded,
                                 Machine& rtl, Machine& twins, std::uint64_t cycles, int lanes,
                                 int rounds) {
  std::map<std::pair<std::string, int>, std::vector<const RecordedSwitch*>> sizes;
  for (const RecordedSwitch& one : recorded) {
    const Node& node = topology.nodes[one.node];
    sizes[{node.switch_kind, node.ports}].push_back(&one);
  }
  std::vector<StepCost> costs;
  for (const auto& [size, switches] : sizes) {
    StepCost& cost = costs.emplace_back(StepCost{
        .kind = size.first, .ports = size.second, .switches = static_cast<int>(switches.size())});
    for (const RecordedSwitch* one : switches)
      cost.steps += static_cast<double>(one->recording.steps.size());
    cost.steps /= static_cast<double>(cycles) * static_cast<double>(switches.size());
    cost.rtl_ns = median_ns(topology, switches, rtl, cycles, lanes, rounds);
    cost.twin_ns = median_ns(topology, switches, twins, cycles, lanes, rounds);
  }
  return costs;
}

void print(std::span<const StepCost> costs, int lanes) {
  fmt::print(
      "\nns per cycle of a switch, played back alone, {} "
      "lane{}\n\n{:>18}{:>7}{:>10}{:>12}{:>10}{:>10}\n",
      lanes, lanes == 1 ? "" : "s", "kind", "ports", "switches", "steps/cycle", "RTL", "twin");
  for (const StepCost& cost : costs) {
    fmt::print("{:>18}{:>7}{:>10}{:>12.2f}{:>10.0f}{:>10.0f}\n", cost.kind, cost.ports,
               cost.switches, cost.steps, cost.rtl_ns, cost.twin_ns);
  }
}

}  // namespace fredsim::speed
