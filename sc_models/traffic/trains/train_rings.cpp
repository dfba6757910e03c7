// SPDX-License-Identifier: Apache-2.0
// Outputs of a TrainFabric that lead into a ring (switch/cut_through.h). A packet that stays in the
// ring starts with room for one flit, so that its later flits may wait for credits that nobody has
// returned yet: they get their places in time as the trains before it get theirs.
//
// All flits of a train have a place in time when it comes to the head of the next buffer: all
//   trains before it have left by then, so that the credits of the whole buffer are known.
// Places are given up to ahead_ edges ahead only, as credits may depend on each other all around a
//   ring, which would be further ahead than kEdges.
#include <algorithm>
#include <bit>

#include "traffic/trains/train_fabric.h"

namespace fredsim::trains {

// Begins a granted train for which there are fewer credits than flits.
void TrainFabric::leave_in_ring(Output& out, std::uint32_t input, std::uint32_t train) {
  out.train = train;
  out.from = input;
  out.flits = 0;
  out.free_from = inputs_[input].free_from = kNever;
  trains_[train].known = 0;
  trains_[train].latest = 0;
  place_in_ring(out);
}

// Edge at which a flit can leave at the earliest: its train's next one without a place.
Edge TrainFabric::earliest(const Output& out, std::uint32_t flit) const {
  if (flit == 0) return now_;
  const Edge stored = trains_[out.train].arrivals[flit] + nodes_[out.node].to_leave;
  return std::max(stored, out.leaves[flit - 1] + 1);
}

// Edge from which on there is a credit for the next flit without a place: kNever if it is not known.
Edge TrainFabric::with_credit(const Output& out) {
  const int lacking = out.flits - out.left + 1 - out.credits;
  return lacking <= 0 ? out.counted
                      : out.to_come.next(out.counted, static_cast<std::uint32_t>(lacking));
}

// Places flits of an output's train in time, as far as credits are known.
void TrainFabric::place_in_ring(Output& out) {
  Train& train = trains_[out.train];
  const std::uint32_t first = out.flits;
  while (out.flits < train.flits) {
    const Edge credit = with_credit(out);
    if (credit == kNever) break;
    const std::uint32_t flit = out.flits;
    const Edge ready = earliest(out, flit);
    const Edge edge = out.pace.next_ready(std::max(ready, credit));
    if (edge > now_ + ahead_) {
      if (!out.is_put_off) at(edge - ahead_).places.push_back(number_of(out));
      out.is_put_off = true;
      break;
    }
    out.leaves[flit] = edge;
    out.blocked[flit] = edge - ready;
    train.arrivals[flit] = out.pace.take(edge);
    train.latest = std::max(train.latest, train.arrivals[flit] - flit);
    ++train.known;
    ++out.flits;
    ++out.flits_taken;
  }
  out.is_blocked = true;
  if (out.flits == train.flits) {
    out.train = kNone;
    out.free_from = inputs_[out.from].free_from = out.leaves[train.flits - 1] + 1;
  }
  if (out.flits != first)
    return_credits(inputs_[out.from], {out.leaves.data() + first, out.flits - first}, false);
}

// Places flits for which there may be credits by now, those of to_place_.
void TrainFabric::place_all() {
  while (!to_place_.empty()) {
    const std::uint32_t number = to_place_.back();
    to_place_.pop_back();
    Output& out = outputs_[number];
    if (out.train == kNone) continue;
    place_in_ring(out);
    if (out.train != kNone) continue;
    if (inputs_[out.from].first != kNone) plan_request(out.from);
    if (out.waiting != 0) plan_look(number, out.free_from);
  }
}

// Stalls of an edge at which an output has `credits`.
TrainFabric::Stalls TrainFabric::ring_stalls(const Output& out, Edge edge, int credits) const {
  const auto onward = (out.waiting & out.onward) != 0 ? std::uint64_t{1} : 0;
  const auto entering = static_cast<std::uint64_t>(std::popcount(out.waiting)) - onward;
  const bool may_enter = credits > static_cast<int>(out.need);
  Stalls stalls{};
  stalls[may_enter ? kArbiter : kCredit] = entering;
  stalls[credits > 0 ? kArbiter : kCredit] += onward;
  if (edge >= out.free_from) {
    if (stalls[kArbiter] != 0) {
      stalls[kArbiter] = 0;
      stalls[kLink] = 1;
    }
    return stalls;
  }
  const std::uint32_t flit = out.left;
  bool is_blocked = false;
  if (flit < out.flits) {
    is_blocked = edge < out.leaves[flit] && edge >= out.leaves[flit] - out.blocked[flit];
  } else if (out.train != kNone) {
    is_blocked = edge >= earliest(out, flit);
  }
  if (is_blocked) ++stalls[credits > 0 ? kLink : kCredit];
  return stalls;
}

// Counts credits and stalls of the edges before `edge`.
void TrainFabric::count_ring(Output& out, Edge edge) {
  Node& node = nodes_[out.node];
  for (Edge at = out.counted; at != edge; ++at) {
    const Stalls stalls = ring_stalls(out, at, out.credits);
    for (const Stall stall : {kCredit, kArbiter, kLink})
      if (stalls[stall] != 0) add_stalls(node, stall, at, stalls[stall]);
    if (out.left < out.flits && out.leaves[out.left] == at) {
      --out.credits;
      ++out.left;
    }
    out.credits += static_cast<int>(out.to_come.take_one(at + 1));
  }
  out.counted = edge;
  if (out.free_from <= edge) out.is_blocked = false;
}

}  // namespace fredsim::trains
