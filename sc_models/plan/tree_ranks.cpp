// SPDX-License-Identifier: Apache-2.0
#include "plan/tree_ranks.h"

#include <algorithm>

namespace fredsim {

unsigned unicast_channels(const TreeRanks& ranks) {
  unsigned channels = 0;
  if (const RingBoxTree* const tree = ranks.box_tree()) return tree->box().channels();
  for_each_send(ranks, [&](int /*rank*/, const Send& send) { channels |= 1U << send.vc; });
  return channels;
}

std::uint64_t TreeRanks::receivers() const {
  if (counts_) return counts_->receivers;
  if (box_tree_) return box_tree_->box().receivers();
  return static_cast<std::uint64_t>(std::ranges::count_if(own(), &TreeRank::receives));
}

}  // namespace fredsim
