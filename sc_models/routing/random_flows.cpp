// SPDX-License-Identifier: Apache-2.0
#include "routing/random_flows.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <numeric>
#include <utility>

namespace fredsim {
namespace {

constexpr std::array<FlowKind, 5> kKinds{FlowKind::kUnicast, FlowKind::kMulticast,
                                         FlowKind::kReduce, FlowKind::kAllReduce, FlowKind::kAny};

// Ports on one side of a flow: `min`, or `min` and more.
struct Side {
  int min = 1;
  bool many = false;
};

Side input_side(FlowKind kind) {
  if (kind == FlowKind::kAny) return {1, true};
  const bool many = kind == FlowKind::kReduce || kind == FlowKind::kAllReduce;
  return {many ? 2 : 1, many};
}

Side output_side(FlowKind kind) {
  if (kind == FlowKind::kAny) return {1, true};
  const bool many = kind == FlowKind::kMulticast || kind == FlowKind::kAllReduce;
  return {many ? 2 : 1, many};
}

// Stars and bars: K marks among R + K places, every choice equally likely, for R ports beyond the
// minimum sizes; size k is the minimum plus the free places before mark k.
std::vector<int> random_sizes(Random& random, const Side& side, int ports, int count) {
  std::vector<int> sizes(count, side.min);
  if (!side.many) return sizes;
  const int places = ports - count * side.min + count;
  int marked = 0;
  for (int place = 0; place < places && marked < count; ++place) {
    if (static_cast<int>(random.below(places - place)) < count - marked)
      ++marked;
    else
      ++sizes[marked];
  }
  return sizes;
}

std::vector<int> random_order(Random& random, int ports) {
  std::vector<int> order(ports);
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

std::vector<std::uint32_t> random_sides(Random& random, const Side& side, int ports, int count) {
  const std::vector<int> sizes = random_sizes(random, side, ports, count);
  const std::vector<int> order = random_order(random, ports);
  std::vector<std::uint32_t> masks(count);
  auto next = order.begin();
  for (int k = 0; k < count; ++k)
    for (int n = 0; n < sizes[k]; ++n) masks[k] |= 1U << *next++;
  return masks;
}

}  // namespace

std::string_view to_string(FlowKind kind) {
  constexpr std::array<std::string_view, kKinds.size()> kNames{"unicast", "multicast", "reduce",
                                                               "all_reduce", "any"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::span<const FlowKind> all_flow_kinds() { return kKinds; }

int max_flows(FlowKind kind, int ports) {
  return ports / std::max(input_side(kind).min, output_side(kind).min);
}

std::vector<Flow> random_flows(Random& random, FlowKind kind, int ports, int count) {
  assert(1 <= count && count <= max_flows(kind, ports));
  const std::vector<std::uint32_t> inputs = random_sides(random, input_side(kind), ports, count);
  const std::vector<std::uint32_t> outputs =
      kind == FlowKind::kAllReduce ? inputs : random_sides(random, output_side(kind), ports, count);
  std::vector<Flow> flows;
  flows.reserve(count);
  for (int k = 0; k < count; ++k) flows.push_back({inputs[k], outputs[k]});
  return flows;
}

}  // namespace fredsim
