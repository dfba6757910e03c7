// SPDX-License-Identifier: Apache-2.0
#include "topology/route_table_size.h"

#include <algorithm>
#include <bit>

#include "rtl/noc_pkg.h"

namespace fredsim {
namespace {

std::optional<int> bits_in(const std::vector<NamedValue>& values) {
  const auto found = std::ranges::find(values, kRouteAddressBits, &NamedValue::name);
  return found == values.end() ? std::nullopt : std::optional(found->value);
}

}  // namespace

void size_route_tables(Topology& topology) {
  if (topology.has_blocks() || topology.unicasts != UnicastRoutes::kByTable) return;
  unsigned last = 0;
  for (const Node& node : topology.nodes)
    if (node.is_endpoint()) last = std::max<unsigned>(last, node.address);
  const auto needed = static_cast<int>(std::bit_width(last));
  const int given = bits_in(topology.switch_values).value_or(noc_pkg::DEFAULT_ROUTE_ADDR_W);
  if (needed <= given || needed > static_cast<int>(noc_pkg::MAX_ROUTE_ADDR_W)) return;
  for (Node& node : topology.nodes)
    if (node.is_switch()) node.values.push_back({std::string(kRouteAddressBits), needed});
}

std::optional<int> route_address_bits(const Topology& topology, const Node& node) {
  const std::optional<int> own = bits_in(node.values);
  return own ? own : bits_in(topology.switch_values);
}

}  // namespace fredsim
