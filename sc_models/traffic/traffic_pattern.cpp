// SPDX-License-Identifier: Apache-2.0
#include "traffic/traffic_pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "base/option_words.h"
#include "base/suggest.h"
#include "results/pattern_words.h"

namespace fredsim {
namespace {

constexpr int kShareBits = 53;  // bits of a double's fraction

struct PatternNodes {
  const Topology& topology;
  int count;
  std::vector<int> permutation;  // drawn by the seed
};

int transposed(const PatternNodes& nodes, int node) {
  const int width = nodes.topology.dimensions.front().size;
  return node % width * (nodes.count / width) + node / width;
}

int complement(const PatternNodes& nodes, int node) { return nodes.count - 1 - node; }

int neighbor_of(const PatternNodes& nodes, int node) {
  const TopologyDimension& row = nodes.topology.dimensions.front();
  if (row.joined == Joined::kSwitches) return (node + 1) % nodes.count;
  return node / row.size * row.size + (node + 1) % row.size;
}

int half_way(int place, int size) { return (place + (size + 1) / 2 - 1) % size; }

int tornado(const PatternNodes& nodes, int node) {
  const std::vector<TopologyDimension>& dimensions = nodes.topology.dimensions;
  if (dimensions.front().joined == Joined::kSwitches) return half_way(node, nodes.count);
  int result = 0;
  int stride = 1;
  for (const TopologyDimension& dimension : dimensions) {
    result += stride * half_way(node / stride % dimension.size, dimension.size);
    stride *= dimension.size;
  }
  return result;
}

int shuffled(const PatternNodes& nodes, int node) {
  return node * 2 % nodes.count + node * 2 / nodes.count;
}

int rotated_right(const PatternNodes& nodes, int node) {
  return node / 2 + node % 2 * (nodes.count / 2);
}

int bits_reversed(const PatternNodes& nodes, int node) {
  int reversed = 0;
  for (int bit = 1; bit < nodes.count; bit *= 2) {
    reversed = reversed * 2 + node % 2;
    node /= 2;
  }
  return reversed;
}

int permuted(const PatternNodes& nodes, int node) { return nodes.permutation[node]; }

// Registry of patterns.
struct PatternRow {
  PatternKind kind;
  std::string_view others;  // names in other tools, blanks between them
  int (*partner)(const PatternNodes& nodes, int node) = nullptr;  // none: destinations are drawn
  bool is_of_bits = false;                                        // defined for powers of two only
};
constexpr auto kPatternRows = std::to_array<PatternRow>(
    {{PatternKind::kUniform, "uniform_random random rand ur"},
     {PatternKind::kTranspose, "", transposed},
     {PatternKind::kBitComplement, "bitcomp complement", complement},
     {PatternKind::kNeighbor, "neighbour nearest_neighbor nn", neighbor_of},
     {PatternKind::kHotspot, "hot_spot many_to_one incast"},
     {PatternKind::kTornado, "half_way", tornado},
     {PatternKind::kShuffle, "perfect_shuffle", shuffled, true},
     {PatternKind::kBitReverse, "bitrev bit_reversal reverse", bits_reversed, true},
     {PatternKind::kBitRotation, "bitrot rotation", rotated_right, true},
     {PatternKind::kRandomPermutation, "randperm permutation", permuted},
     {PatternKind::kAsymmetric, "asym"},
     {PatternKind::kBackground, "uniform_background"}});

std::vector<std::string_view> pattern_names() { return words_in(kPatternsOfResults); }

// Fisher and Yates's shuffle.
std::vector<int> drawn_permutation(int nodes, std::uint64_t seed) {
  std::vector<int> permutation(static_cast<std::size_t>(nodes));
  std::iota(permutation.begin(), permutation.end(), 0);
  Random random(mix64(seed) ^ mix64(static_cast<std::uint64_t>(nodes)));
  for (int last = nodes - 1; last > 0; --last)
    std::swap(permutation[last], permutation[random.below(static_cast<std::uint64_t>(last) + 1)]);
  return permutation;
}

}  // namespace

PatternKind parse_pattern(const std::string& name) {
  const std::vector<std::string_view> names = words_in(kPatternWords);
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return static_cast<PatternKind>(found - names.begin());
  std::vector<Alias> aliases;
  for (const PatternRow& row : kPatternRows) aliases.push_back({to_string(row.kind), row.others});
  throw BadInput(fmt::format("--pattern: found '{}'; {}, or a file of rates (rates.csv)", name,
                             advice(name, names, {.aliases = aliases})));
}

std::string_view to_string(PatternKind kind) {
  return pattern_names()[static_cast<std::size_t>(kind)];
}

std::string pattern_list() { return join_words(words_in(kPatternWords)); }

TrafficPattern::TrafficPattern(const PatternSpec& spec, const Topology& topology,
                               std::uint64_t seed)
    : nodes_(static_cast<int>(topology.npus.size())), partner_(topology.npus.size(), kAny) {
  const auto* const row = std::ranges::find(kPatternRows, spec.kind, &PatternRow::kind);
  if (row != kPatternRows.end() && row->is_of_bits &&
      !std::has_single_bit(static_cast<unsigned>(nodes_)))
    throw BadInput(fmt::format(
        "--pattern: found '{}' on {}, which has {} NPUs; allowed: a power of two, since it "
        "rearranges bits of the rank",
        to_string(spec.kind), topology.name, nodes_));
  if (row != kPatternRows.end() && row->partner != nullptr) {
    PatternNodes nodes{.topology = topology, .count = nodes_, .permutation = {}};
    if (spec.kind == PatternKind::kRandomPermutation)
      nodes.permutation = drawn_permutation(nodes_, seed);
    for (int node = 0; node < nodes_; ++node) partner_[node] = row->partner(nodes, node);
  }
  if (nodes_ == 1) partner_[0] = 0;
  is_uniform_ = spec.kind == PatternKind::kUniform;
  if (spec.kind == PatternKind::kHotspot) {
    if (spec.hotspot_node < 0 || spec.hotspot_node >= nodes_) {
      throw BadInput(fmt::format("--hotspot-node: found '{}'; allowed: an NPU of {}, 0 to {}",
                                 spec.hotspot_node, topology.name, nodes_ - 1));
    }
    hot_node_ = spec.hotspot_node;
    hot_share_ = static_cast<std::uint64_t>(std::ldexp(spec.hotspot_fraction, kShareBits));
  }
  if (spec.kind == PatternKind::kAsymmetric) {
    const int half = nodes_ / 2;
    for (int node = 0; half > 0 && node < nodes_; ++node)
      choose(node, {{node % half, 1}, {node % half + half, 1}});
  }
  if (spec.kind == PatternKind::kBackground) exclude(spec.excluded, topology);
  if (spec.matrix != nullptr) read_matrix(*spec.matrix, topology);
  if (sending_nodes() == 0) {
    throw BadInput(
        fmt::format("--pattern: found '{}', in which every NPU of {} is its own partner; "
                    "allowed: a pattern in which NPUs send to others",
                    to_string(spec.kind), topology.name));
  }
}

void TrafficPattern::exclude(const std::vector<int>& nodes, const Topology& topology) {
  for (const int node : nodes)
    if (node < 0 || node >= nodes_)
      throw BadInput(fmt::format("--excluded-nodes: found '{}'; allowed: NPUs of {}, 0 to {}", node,
                                 topology.name, nodes_ - 1));
  for (int node = 0; node < nodes_; ++node)
    if (std::ranges::find(nodes, node) == nodes.end()) allowed_.push_back(node);
  if (allowed_.empty())
    throw BadInput(fmt::format("--excluded-nodes: found all {} NPUs of {}; allowed: {} at most",
                               nodes_, topology.name, nodes_ - 1));
  if (allowed_.size() == 1) partner_[allowed_.front()] = allowed_.front();
}

void TrafficPattern::read_matrix(const RateMatrix& matrix, const Topology& topology) {
  if (matrix.nodes() != nodes_)
    throw BadInput(
        fmt::format("--pattern {}: found {} rows and columns; allowed: {}, one per NPU "
                    "of {}",
                    matrix.file, matrix.nodes(), nodes_, topology.name));
  loads_.resize(partner_.size());
  for (int node = 0; node < nodes_; ++node) {
    choose(node, matrix.rows[node]);
    loads_[node] = matrix.sum_of(node);
  }
}

void TrafficPattern::choose(int node, const std::vector<std::pair<int, double>>& weights) {
  choices_.resize(partner_.size());
  std::vector<std::pair<int, double>> others = weights;
  std::erase_if(others, [&](const auto& weight) { return weight.first == node; });
  if (others.empty()) {
    partner_[node] = node;
  } else {
    choices_[node] = Alternatives(others);
  }
}

int TrafficPattern::sending_nodes() const {
  int count = 0;
  for (int node = 0; node < nodes_; ++node) count += sends(node) ? 1 : 0;
  return count;
}

double TrafficPattern::max_load() const {
  return loads_.empty() ? 1 : *std::ranges::max_element(loads_);
}

int TrafficPattern::destination_by_kind(int node, Random& random) const {
  if (partner_[node] != kAny) return partner_[node];
  if (!choices_.empty()) return choices_[node].draw(random);
  if (!allowed_.empty()) {
    const auto own = std::ranges::lower_bound(allowed_, node);
    const bool is_own = own != allowed_.end() && *own == node;
    const auto drawn = random.below(allowed_.size() - (is_own ? 1 : 0));
    return allowed_[is_own && own - allowed_.begin() <= static_cast<std::ptrdiff_t>(drawn)
                        ? drawn + 1
                        : drawn];
  }
  if (hot_node_ != kAny && hot_node_ != node && random.next() >> (64 - kShareBits) < hot_share_) {
    return hot_node_;
  }
  return any_other(node, random);
}

}  // namespace fredsim
