// SPDX-License-Identifier: Apache-2.0
#include "fabric/rank_links.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <utility>

namespace fredsim {

RankLinks::RankLinks(const Topology& topology, const Cut& cut, const RankShare& share)
    : ranks_(*share.ranks),
      by_rank_(static_cast<std::size_t>(share.ranks->size())),
      collected_(static_cast<std::size_t>(share.ranks->size())) {
  // Index: rank. Pairs (partition there, partition here) of all links in either direction, since
  // credits return.
  std::map<int, std::set<std::pair<int, int>>> by_rank;
  const auto add = [&](int here, int there) {
    if (share.has(here) && !share.has(there)) by_rank[share.rank_of[there]].insert({there, here});
  };
  for (const Link& link : topology.links) {
    add(cut[link.from], cut[link.to]);
    add(cut[link.to], cut[link.from]);
  }
  for (const auto& [rank, pairs] : by_rank) {
    neighbours_.push_back(rank);
    Neighbour& neighbour = by_rank_[static_cast<std::size_t>(rank)];
    for (const auto& [there, here] : pairs) {
      neighbour.from_here.push_back({here, there});
      neighbour.to_here.push_back({here, there});
    }
    // The sender's partitions give the order within a message.
    std::ranges::sort(neighbour.from_here);
    std::ranges::sort(neighbour.to_here, {},
                      [](const Pair& pair) { return std::pair(pair.other, pair.own); });
  }
  for (int rank = 0; rank < ranks_.size(); ++rank)
    if (rank != ranks_.rank()) others_.push_back(rank);
}

void RankLinks::pack(std::span<Partition* const> own, int box, const Neighbour& neighbour,
                     RankMessage& message) const {
  for (const Pair& pair : neighbour.from_here)
    own[pair.own]->links().pack(box, static_cast<std::uint32_t>(pair.other), message);
}

void RankLinks::unpack(std::span<Partition* const> own, std::uint64_t edge,
                       const Neighbour& neighbour, RankMessage& message) const {
  for (const Pair& pair : neighbour.to_here) own[pair.own]->links().unpack(message, edge);
}

void RankLinks::exchange(std::span<Partition* const> own, int box, std::uint64_t edge) {
  out_.resize(neighbours_.size());
  for (std::size_t i = 0; i < neighbours_.size(); ++i) {
    out_[i].clear();
    pack(own, box, by_rank_[static_cast<std::size_t>(neighbours_[i])], out_[i]);
  }
  ranks_.exchange(Ranks::Purpose::kWindow, edge, neighbours_, out_, in_);
  for (std::size_t i = 0; i < neighbours_.size(); ++i)
    unpack(own, edge, by_rank_[static_cast<std::size_t>(neighbours_[i])], in_[i]);
}

std::span<RankMessage> RankLinks::exchange(std::span<Partition* const> own, int box,
                                           std::uint64_t edge, const RankMessage& mine) {
  out_.resize(others_.size());
  for (std::size_t i = 0; i < others_.size(); ++i) {
    out_[i].clear();
    pack(own, box, by_rank_[static_cast<std::size_t>(others_[i])], out_[i]);
    out_[i].append(mine);
  }
  ranks_.exchange(Ranks::Purpose::kWindow, edge, others_, out_, in_);
  for (std::size_t i = 0; i < others_.size(); ++i) {
    const auto rank = static_cast<std::size_t>(others_[i]);
    unpack(own, edge, by_rank_[rank], in_[i]);
    std::swap(collected_[rank], in_[i]);
  }
  return collected_;
}

}  // namespace fredsim
