// SPDX-License-Identifier: Apache-2.0
#include "collective/phase_room.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

#include "base/error.h"
#include "switch/node_shape.h"
#include "switch/switch_kind.h"

namespace fredsim {

int phase_room(const Topology& topology, NodeId node) {
  const SwitchShape shape = switch_shape(topology, topology.nodes[node]);
  return shape.kind->num_phases(shape);
}

void check_phase_room(const Topology& topology, std::span<const PhaseSwitches> phases) {
  std::map<NodeId, std::vector<bool>> taken;  // by switch and index
  for (const PhaseSwitches& switches : phases) {
    for (const NodeId node : switches) {
      if (!taken.contains(node)) taken[node].resize(phase_room(topology, node));
    }
  }
  for (const PhaseSwitches& switches : phases) {
    const auto is_over = [&](std::size_t index) {
      return std::ranges::any_of(switches,
                                 [&](NodeId node) { return index >= taken.at(node).size(); });
    };
    const auto is_taken = [&](std::size_t index) {
      return std::ranges::any_of(switches, [&](NodeId node) { return taken.at(node)[index]; });
    };
    std::size_t index = 0;
    while (!is_over(index) && is_taken(index)) ++index;
    if (is_over(index))
      refuse_phases(topology, phases, [&](NodeId node) { return taken.at(node).size(); });
    for (const NodeId node : switches) taken.at(node)[index] = true;
  }
}

void refuse_phases(const Topology& topology, std::span<const PhaseSwitches> phases,
                   const std::function<std::size_t(NodeId)>& room) {
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  NodeId least = 0;
  for (const PhaseSwitches& switches : phases) {
    for (const NodeId node : switches) {
      if (room(node) >= fewest) continue;
      fewest = room(node);
      least = node;
    }
  }
  throw BadInput(
      fmt::format("an operation needs {} phases at once, {} has room for {}; allowed: "
                  "fewer ranks, or an algorithm at the endpoints",
                  phases.size(), topology.nodes[least].name, fewest));
}

}  // namespace fredsim
