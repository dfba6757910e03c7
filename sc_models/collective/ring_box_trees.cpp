// SPDX-License-Identifier: Apache-2.0
#include "collective/ring_box_trees.h"

#include <algorithm>
#include <cassert>
#include <ranges>
#include <utility>

namespace fredsim {

RingBoxTrees::RingBoxTrees(std::vector<int> sides, std::vector<int> ranks, const SendOf& send_of)
    : ranks_(std::move(ranks)), places_(ranks_.size(), -1) {
  for (int position = 0; position < size(); ++position) places_[ranks_[position]] = position;
  assert(std::ranges::find(places_, -1) == places_.end());
  int stride = 1;
  for (std::size_t d = 0; d < sides.size(); ++d) {
    line_of_.push_back(sides[d] > 1 ? static_cast<int>(lines_.size()) : -1);
    if (sides[d] > 1) lines_.push_back({stride, sides[d], hops_.size()});
    stride *= sides[d];
    if (sides[d] == 1) continue;
    for (int from = 0; from < size(); ++from) {
      const int to = next(lines_.back(), from);
      for (const bool is_result : {false, true}) {
        const int dimension = static_cast<int>(d);
        hops_.push_back(
            {from, dimension, is_result, send_of(ranks_[from], ranks_[to], dimension, is_result)});
        channels_ |= 1U << hops_.back().send.vc;
      }
    }
  }
  assert(stride == size());
}

bool RingBoxTrees::has_hop(int owner, const Hop& hop) const {
  const Line& line = lines_[line_of_[hop.dimension]];
  if (!is_joined(line, owner, hop.from)) return false;
  return !same_place(line, owner, hop.is_result ? next(line, hop.from) : hop.from);
}

void RingBoxTrees::set_rank(int owner, int rank, TreeRank& made) const {
  const int position = places_[rank];
  made.rank = rank;
  made.contributes = made.receives = true;
  made.reduce_from.clear();
  made.reduce_to.clear();
  made.broadcast_to.clear();
  for (const Line& line : lines_) {
    if (!is_joined(line, owner, position)) break;
    const int before = previous(line, position);
    if (!same_place(line, owner, before)) made.reduce_from.push_back(ranks_[before]);
    if (!same_place(line, owner, position))
      made.reduce_to.push_back(hops_[line.first_hop + 2 * position].send);
  }
  for (const Line& line : std::views::reverse(lines_)) {
    if (is_joined(line, owner, position) && !same_place(line, owner, next(line, position)))
      made.broadcast_to.push_back(hops_[line.first_hop + 2 * position + 1].send);
  }
}

std::vector<TreeRank> RingBoxTrees::ranks_of(int owner) const {
  std::vector<TreeRank> made(ranks_.size());
  for (int rank = 0; rank < size(); ++rank) set_rank(owner, rank, made[rank]);
  return made;
}

SumOrder RingBoxTrees::order_of(int owner) const {
  SumOrder order;
  order.postfix.reserve(2 * ranks_.size());
  append_sum(owner, owner, order.postfix);
  return order;
}

void RingBoxTrees::append_sum(int owner, int position, std::vector<int>& postfix) const {
  postfix.push_back(ranks_[position]);
  for (const Line& line : lines_) {
    if (!is_joined(line, owner, position)) break;
    const int before = previous(line, position);
    if (same_place(line, owner, before)) continue;
    append_sum(owner, before, postfix);
    postfix.push_back(SumOrder::kAdd);
  }
}

std::vector<std::uint64_t> RingBoxTrees::hop_loads(std::vector<std::uint64_t> by_owner) const {
  std::vector<std::uint64_t> loads(hops_.size());
  // From the last dimension on: sums over owners whose coordinates in it and above are any.
  std::vector<std::uint64_t>& of_place = by_owner;
  for (const Line& line : std::views::reverse(lines_)) {
    std::vector<std::uint64_t> of_line(line.stride);
    for (std::size_t place = 0; place < of_place.size(); ++place)
      of_line[place % of_line.size()] += of_place[place];
    for (int position = 0; position < size(); ++position) {
      const std::uint64_t all = of_line[position % line.stride];
      const std::size_t hop = line.first_hop + 2 * position;
      loads[hop] = all - of_place[position % of_place.size()];
      loads[hop + 1] = all - of_place[next(line, position) % of_place.size()];
    }
    of_place = std::move(of_line);
  }
  return loads;
}

}  // namespace fredsim
