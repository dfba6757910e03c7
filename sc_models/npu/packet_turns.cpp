// SPDX-License-Identifier: Apache-2.0
#include "npu/packet_turns.h"

#include <algorithm>
#include <cassert>
#include <limits>

namespace fredsim {
namespace {

constexpr std::uint64_t kOver = std::numeric_limits<std::uint64_t>::max();

bool is_over(const Work& work, const PacketTurn& turn) {
  return turn.sent == work.trees[static_cast<std::size_t>(turn.local)].packets;
}

}  // namespace

void PacketTurns::add(PacketTurn turn) {
  order_.emplace(turn.due, turns_.size());
  turns_.push_back(std::move(turn));
}

bool PacketTurns::has_ready() const {
  return std::ranges::any_of(turns_, [](const PacketTurn& turn) { return !turn.ready.empty(); });
}

std::size_t PacketTurns::ready(int local, int to_rank) const {
  const auto turn = std::ranges::find_if(turns_, [&](const PacketTurn& t) {
    return t.local == local && t.is_result && t.to_rank == to_rank;
  });
  return turn->ready.size();
}

void PacketTurns::push(int local, bool is_result, int to_rank, Packet& packet) {
  auto turn = std::ranges::lower_bound(turns_, local, {}, &PacketTurn::local);
  while (turn != turns_.end() && (turn->is_result != is_result || turn->to_rank != to_rank)) ++turn;
  assert(turn != turns_.end() && turn->local == local);
  turn->ready.push(&packet);
}

PacketTurn* PacketTurns::next(const Work& work) {
  while (!order_.empty() && is_over(work, turns_[order_.top().second])) order_.pop();
  return order_.empty() ? nullptr : &turns_[order_.top().second];
}

void PacketTurns::count_sent() {
  const std::size_t which = order_.top().second;
  PacketTurn& turn = turns_[which];
  ++turn.sent;
  turn.due += turn.interval;
  order_.pop();
  order_.emplace(turn.due, which);
}

std::uint64_t PacketTurns::first_due(const Work& work) const {
  std::uint64_t first = kOver;
  for (const PacketTurn& turn : turns_)
    if (!is_over(work, turn)) first = std::min(first, turn.due);
  return first;
}

// Due times are relative to the next one.
void PacketTurns::add_state(const Work& work, StateDigest& digest) const {
  const std::uint64_t first = first_due(work);
  for (const PacketTurn& turn : turns_) {
    digest.add(is_over(work, turn) ? kOver : turn.due - first);
    digest.add(turn.ready.size());
  }
}

}  // namespace fredsim
