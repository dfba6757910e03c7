// SPDX-License-Identifier: Apache-2.0
#include "topology/facts.h"

#include <fmt/format.h>

#include <algorithm>

#include "topology/topology_kind.h"

namespace fredsim {

std::uint64_t bisection_bytes_per_second(const Topology& topology) {
  return topology_kind(topology.kind).bisection_bytes_per_second(topology);
}

int switch_parameter(const Topology& topology, std::string_view name) {
  for (const Node& node : topology.nodes) {
    const auto found = std::ranges::find(node.values, name, &NamedValue::name);
    if (found != node.values.end()) return found->value;
  }
  return 0;
}

std::string place_name(const Topology& topology, const Node& node) {
  if (node.is_endpoint()) return node.kind == NodeKind::kNpu ? "NPU" : "I/O";
  return topology.has_levels() ? fmt::format("L{}", node.level) : "router";
}

}  // namespace fredsim
