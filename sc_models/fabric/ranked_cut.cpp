// SPDX-License-Identifier: Apache-2.0
#include "fabric/ranked_cut.h"

#include <map>
#include <utility>

#include "fabric/rank_cut.h"

namespace fredsim {

Cut cut_by_rank(const Topology& topology, const NodeCosts& costs, const Ranks* ranks) {
  return ranks == nullptr ? Cut{} : cut_for_ranks(topology, costs, ranks->size());
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
