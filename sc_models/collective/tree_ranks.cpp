// SPDX-License-Identifier: Apache-2.0
#include "collective/tree_ranks.h"

#include <algorithm>

namespace fredsim {

unsigned unicast_channels(const TreeRanks& ranks) {
  unsigned channels = 0;
  if (const RingBoxTree* const tree = ranks.box_tree()) return tree->box().channels();
  for_each_send(ranks, [&](int /*rank*/, const Send& send) { channels |= 1U << send.vc; });
  return channels;
}

std::uint64_t receivers(const TreeRanks& ranks) {
  if (ranks.box_tree() != nullptr) return ranks.size();
  return static_cast<std::uint64_t>(std::ranges::count_if(ranks, &TreeRank::receives));
}

}  // namespace fredsim
