// SPDX-License-Identifier: Apache-2.0
#include "fabric/ranked_cut.h"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "base/content_hash.h"
#include "fabric/rank_cut.h"

namespace fredsim {
namespace {

std::string hash_of(const Topology& topology) {
  std::string text = fmt::format("{} {}\n", topology.clock_hz, topology.packet_flits);
  const auto out = std::back_inserter(text);
  for (const Node& node : topology.nodes) {
    fmt::format_to(out, "{} {} {} {} {}", node.name, node.ports, node.address, node.switch_kind,
                   node.failed);
    for (const NamedValue& value : node.values)
      fmt::format_to(out, " {}={}", value.name, value.value);
    text += '\n';
  }
  for (const Link& link : topology.links)
    fmt::format_to(out, "{}.{} {}.{} {}/{} {} {}\n", link.from, link.from_port, link.to,
                   link.to_port, link.rate.num, link.rate.den, link.latency, link.burst);
  return content_hash(text);
}

}  // namespace

Cut cut_by_rank(const Topology& topology, const NodeCosts& costs, Ranks* ranks) {
  if (ranks == nullptr) return {};
  const std::string name = "machine " + topology.name;
  const std::string hash = hash_of(topology);
  ranks->greet(std::array{Ranks::Agreed{name, hash}});
  return cut_for_ranks(topology, costs, ranks->size());
}

RankedCut cut_over(Ranks* ranks, const Cut& by_rank, const Cut& within) {
  if (ranks == nullptr) return {.cut = within};
  if (within.empty()) {
    RankedCut ranked{.cut = by_rank, .share = {.ranks = ranks}};
    for (int rank = 0; rank < ranks->size(); ++rank) ranked.share.rank_of.push_back(rank);
    return ranked;
  }
  std::map<std::pair<int, int>, int> partitions;  // (rank, part of `within`) -> partition
  for (std::size_t node = 0; node < by_rank.size(); ++node)
    partitions.try_emplace({by_rank[node], within[node]}, 0);
  RankedCut ranked{.share = {.ranks = ranks}};
  for (auto& [part, partition] : partitions) {
    partition = static_cast<int>(ranked.share.rank_of.size());
    ranked.share.rank_of.push_back(part.first);
  }
  for (std::size_t node = 0; node < by_rank.size(); ++node)
    ranked.cut.push_back(partitions.at({by_rank[node], within[node]}));
  return ranked;
}

}  // namespace fredsim
