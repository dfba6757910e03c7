// SPDX-License-Identifier: Apache-2.0
#include "topology/detail/exact_limits.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/flit.h"

namespace fredsim {

std::string flow_only_reason(const Topology& topology) {
  constexpr int kMaxRoutes = 1 << noc_pkg::MAX_ROUTE_ADDR_W;
  const auto widest = std::ranges::max_element(topology.nodes, {}, &Node::ports);
  if (widest != topology.nodes.end() && widest->ports > kMaxPorts) {
    return fmt::format("found {} with {} ports; allowed: up to {}", widest->name, widest->ports,
                       kMaxPorts);
  }
  const auto endpoints = std::ranges::count_if(topology.nodes, &Node::is_endpoint);
  if (endpoints > kMaxRoutes) {
    return fmt::format("found {} NPUs, more than a switch's table has entries; allowed: up to {}",
                       endpoints, kMaxRoutes);
  }
  return {};
}

}  // namespace fredsim
