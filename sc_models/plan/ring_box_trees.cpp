// SPDX-License-Identifier: Apache-2.0
#include "plan/ring_box_trees.h"

#include <algorithm>
#include <cassert>
#include <ranges>
#include <utility>

namespace fredsim {

RingBoxTrees::RingBoxTrees(std::vector<int> sides, std::vector<int> ranks, const SendOf& send_of,
                           Roles roles, const BackOf& back_of)
    : roles_(roles),
      sides_(std::move(sides)),
      ranks_(std::move(ranks)),
      places_(ranks_.size(), -1) {
  for (int position = 0; position < size(); ++position) places_[ranks_[position]] = position;
  assert(std::ranges::find(places_, -1) == places_.end());
  int stride = 1;
  for (std::size_t d = 0; d < sides_.size(); ++d) {
    line_of_.push_back(sides_[d] > 1 ? static_cast<int>(lines_.size()) : -1);
    if (sides_[d] > 1) lines_.push_back({stride, sides_[d], hops_.size()});
    stride *= sides_[d];
    if (sides_[d] == 1) continue;
    for (int from = 0; from < size(); ++from) {
      const int to = next(lines_.back(), from);
      for (const bool is_result : {false, true}) {
        if (!(is_result ? has_results() : has_sums())) continue;
        const int dimension = static_cast<int>(d);
        Hop hop{from, dimension, is_result,
                send_of(ranks_[from], ranks_[to], dimension, is_result)};
        if (is_acknowledged()) hop.back = back_of(ranks_[to], ranks_[from], hop.send);
        channels_ |= 1U << hop.send.vc;
        hops_.push_back(hop);
      }
    }
  }
  assert(stride == size());
}

std::uint64_t RingBoxTrees::receivers() const {
  const std::uint64_t others = broadcasts(roles_) ? ranks_.size() - 1 : 0;
  return others + (roles_ == Roles::kToOthers ? 0 : 1);
}

bool RingBoxTrees::has_hop(int owner, const Hop& hop) const {
  const Line& line = lines_[line_of_[hop.dimension]];
  if (!is_joined(line, owner, hop.from)) return false;
  return !same_place(line, owner, hop.is_result ? next(line, hop.from) : hop.from);
}

void RingBoxTrees::set_rank(int owner, int rank, TreeRank& made) const {
  const int position = places_[rank];
  made.rank = rank;
  made.contributes = position == owner || has_sums();
  made.receives = position == owner ? roles_ != Roles::kToOthers : has_results();
  made.reduce_from.clear();
  made.reduce_to.clear();
  made.broadcast_to.clear();
  for (const Line& line : lines_) {
    if (!has_sums() || !is_joined(line, owner, position)) break;
    const int before = previous(line, position);
    if (!same_place(line, owner, before)) made.reduce_from.push_back(ranks_[before]);
    if (!same_place(line, owner, position))
      made.reduce_to.push_back(hops_[hop_at(line, position, false)].send);
  }
  for (const Line& line : std::views::reverse(lines_)) {
    if (has_results() && is_joined(line, owner, position) &&
        !same_place(line, owner, next(line, position)))
      made.broadcast_to.push_back(hops_[hop_at(line, position, true)].send);
  }
  if (is_acknowledged()) set_acknowledgements(owner, position, made);
}

// Acknowledges every incoming hop.
void RingBoxTrees::set_acknowledgements(int owner, int position, TreeRank& made) const {
  made.acknowledge_sums.clear();
  made.acknowledge_results.clear();
  for (const Line& line : lines_) {
    if (!is_joined(line, owner, position)) break;
    const int before = previous(line, position);
    if (has_sums() && !same_place(line, owner, before))
      made.acknowledge_sums.push_back(hops_[hop_at(line, before, false)].back);
    if (has_results() && !same_place(line, owner, position))
      made.acknowledge_results.push_back(hops_[hop_at(line, before, true)].back);
  }
  std::ranges::sort(made.acknowledge_sums, {}, &Send::rank);
  made.sums_acknowledged = !made.reduce_to.empty();
  made.results_acknowledged = !made.broadcast_to.empty();
}

std::vector<TreeRank> RingBoxTrees::ranks_of(int owner) const {
  std::vector<TreeRank> made(ranks_.size());
  for (int rank = 0; rank < size(); ++rank) set_rank(owner, rank, made[rank]);
  return made;
}

SumOrder RingBoxTrees::order_of(int owner) const {
  SumOrder order;
  if (!has_sums()) return SumOrder{{ranks_[owner]}};
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
  // Iterates from the last dimension on: sums over owners with any coordinates in it and above.
  std::vector<std::uint64_t>& of_place = by_owner;
  for (const Line& line : std::views::reverse(lines_)) {
    std::vector<std::uint64_t> of_line(line.stride);
    for (std::size_t place = 0; place < of_place.size(); ++place)
      of_line[place % of_line.size()] += of_place[place];
    for (int position = 0; position < size(); ++position) {
      const std::uint64_t all = of_line[position % line.stride];
      const auto loaded = [&](bool is_result, int without) {
        loads[hop_at(line, position, is_result)] = all - of_place[without % of_place.size()];
      };
      if (has_sums()) loaded(false, position);
      if (has_results()) loaded(true, next(line, position));
    }
    of_place = std::move(of_line);
  }
  return loads;
}

}  // namespace fredsim
