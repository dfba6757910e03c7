// SPDX-License-Identifier: Apache-2.0
#include "traffic/traffic_pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.h"
#include "base/suggest.h"

namespace fredsim {
namespace {

// Index: PatternKind.
constexpr std::array<std::string_view, 5> kNames{"uniform", "transpose", "bit_complement",
                                                 "neighbor", "hotspot"};
constexpr auto kPatternAliases =
    std::to_array<Alias>({{"uniform", "uniform_random random rand ur"},
                          {"bit_complement", "bitcomp complement"},
                          {"neighbor", "neighbour nearest_neighbor nn"},
                          {"hotspot", "hot_spot many_to_one incast"}});
constexpr int kShareBits = 53;  // bits of a double's fraction

// Partner of a node, in patterns in which it has one.
int partner_of(PatternKind kind, const Topology& topology, int node) {
  const auto nodes = static_cast<int>(topology.npus.size());
  const TopologyDimension& row = topology.dimensions.front();
  const int x = node % row.size;
  const int y = node / row.size;
  switch (kind) {
    case PatternKind::kTranspose:
      return x * (nodes / row.size) + y;
    case PatternKind::kBitComplement:
      return nodes - 1 - node;
    case PatternKind::kNeighbor:
      return row.joined == Joined::kSwitches ? (node + 1) % nodes
                                             : y * row.size + (x + 1) % row.size;
    case PatternKind::kUniform:
    case PatternKind::kHotspot:
      break;
  }
  return node;
}

bool is_drawn(PatternKind kind) {
  return kind == PatternKind::kUniform || kind == PatternKind::kHotspot;
}

}  // namespace

PatternKind parse_pattern(const std::string& name) {
  const auto found = std::ranges::find(kNames, name);
  if (found == kNames.end()) {
    throw BadInput(fmt::format("--pattern: found '{}'; {}", name,
                               advice(name, kNames, {.aliases = kPatternAliases})));
  }
  return static_cast<PatternKind>(found - kNames.begin());
}

std::string_view to_string(PatternKind kind) { return kNames[static_cast<std::size_t>(kind)]; }

TrafficPattern::TrafficPattern(const PatternSpec& spec, const Topology& topology)
    : nodes_(static_cast<int>(topology.npus.size())), partner_(topology.npus.size(), kAny) {
  for (int node = 0; node < nodes_; ++node) {
    if (!is_drawn(spec.kind) || nodes_ == 1) {
      partner_[node] = partner_of(spec.kind, topology, node);
    }
  }
  if (spec.kind == PatternKind::kHotspot) {
    if (spec.hotspot_node < 0 || spec.hotspot_node >= nodes_) {
      throw BadInput(fmt::format("--hotspot-node: found '{}'; allowed: an NPU of {}, 0 to {}",
                                 spec.hotspot_node, topology.name, nodes_ - 1));
    }
    hot_node_ = spec.hotspot_node;
    hot_share_ = static_cast<std::uint64_t>(std::ldexp(spec.hotspot_fraction, kShareBits));
  }
  if (sending_nodes() == 0) {
    throw BadInput(
        fmt::format("--pattern: found '{}', in which every NPU of {} is its own partner; "
                    "allowed: a pattern in which NPUs send to others",
                    to_string(spec.kind), topology.name));
  }
}

int TrafficPattern::sending_nodes() const {
  int count = 0;
  for (int node = 0; node < nodes_; ++node) count += sends(node) ? 1 : 0;
  return count;
}

int TrafficPattern::destination(int node, Random& random) const {
  if (partner_[node] != kAny) return partner_[node];
  if (hot_node_ != kAny && hot_node_ != node && random.next() >> (64 - kShareBits) < hot_share_) {
    return hot_node_;
  }
  const int other = static_cast<int>(random.below(static_cast<std::uint64_t>(nodes_ - 1)));
  return other < node ? other : other + 1;
}

}  // namespace fredsim
