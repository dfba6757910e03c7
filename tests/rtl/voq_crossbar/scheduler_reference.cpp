// SPDX-License-Identifier: Apache-2.0
#include "scheduler_reference.h"

#include <algorithm>
#include <array>

namespace fredsim {

SchedulerReference::SchedulerReference(int ports, int iterations, const VcOrder& order)
    : ports_(ports),
      iterations_(iterations),
      order_(order),
      ahead_(static_cast<std::size_t>(iterations - 1)) {}

bool SchedulerReference::is_idle() const {
  return std::ranges::all_of(ahead_, [](const auto& pairs) { return pairs.empty(); });
}

SchedulerReference::Keep SchedulerReference::keep_of(const std::vector<Queue>& pairs) {
  Keep keep;
  for (const Queue& pair : pairs) {
    keep.pairs[pair.out] = pair.in;
    keep.ins.insert(pair.in);
    keep.outs.insert(pair.out);
  }
  return keep;
}

// First of the requests at one port, by VC, by whether it goes first, by turn; or by whether it
// goes first before VC.
const SchedulerReference::Queue* SchedulerReference::choose(const std::vector<const Queue*>& asks,
                                                            Side side, const Keep& keep,
                                                            bool over_vcs) const {
  const auto key = [&](const Queue* ask) {
    const bool output = side == Side::kOutput;
    const auto pair = keep.pairs.find(ask->out);
    const bool kept = pair != keep.pairs.end() && pair->second == ask->in;
    const bool free = output && !keep.outs.contains(ask->out) && !keep.ins.contains(ask->in);
    const auto& turns = output ? grant_turn_ : accept_turn_;
    const auto turn = turns.find({output ? ask->out : ask->in, ask->vc});
    const int first = turn == turns.end() ? 0 : turn->second;
    const int distance = ((output ? ask->in : ask->out) - first + ports_) % ports_;
    const int later = kept || free ? 0 : 1;
    const int rank = priority_rank(order_, ask->vc);
    return over_vcs ? std::array{later, rank, distance} : std::array{rank, later, distance};
  };
  return *std::ranges::min_element(asks, {}, key);
}

std::vector<SchedulerReference::Queue> SchedulerReference::round(const std::vector<Queue>& asks,
                                                                 const Keep& keep,
                                                                 bool over_vcs) const {
  std::map<int, std::vector<const Queue*>> at_output, at_input;
  for (const Queue& ask : asks) at_output[ask.out].push_back(&ask);
  for (const auto& [out, there] : at_output) {
    const Queue* granted = choose(there, Side::kOutput, keep, over_vcs);
    at_input[granted->in].push_back(granted);
  }
  std::vector<Queue> pairs;
  for (const auto& [in, there] : at_input)
    pairs.push_back(*choose(there, Side::kInput, keep, over_vcs));
  return pairs;
}

SchedulerReference::Edge SchedulerReference::step(const std::vector<Queue>& queues,
                                                  const std::set<std::pair<int, int>>& room) {
  const auto inside = [&](const Queue& q) {
    const auto owner = owner_.find({q.out, q.vc});
    return owner != owner_.end() && owner->second == q.in;
  };
  // Pairs with precedence at this edge: open packets, then the results of the earlier rounds.
  Keep keep = keep_of(streams_);
  const Keep streams = keep;
  if (iterations_ > 1) {
    for (const Queue& pair : ahead_.back()) {
      if (!streams.outs.contains(pair.out) && !streams.ins.contains(pair.in))
        keep.pairs[pair.out] = pair.in;
      keep.ins.insert(pair.in);
      keep.outs.insert(pair.out);
    }
  }
  const auto kept = [&](const Queue& q) {
    const auto pair = keep.pairs.find(q.out);
    return pair != keep.pairs.end() && pair->second == q.in;
  };

  Edge edge;
  std::vector<Queue> eligible, foreseen, going_on;
  std::set<int> has_hol, able, lacks_room, moved;
  for (const Queue& q : queues) {
    const bool open = !owner_.contains({q.out, q.vc});
    const bool has_room = room.contains({q.out, q.vc});
    has_hol.insert(q.in);
    if (inside(q) || (open && has_room)) {
      eligible.push_back(q);
      able.insert(q.in);
      if (kept(q) && q.several && !q.tail) going_on.push_back(q);
    }
    if (open && !has_room) lacks_room.insert(q.in);
    const bool ends = std::ranges::any_of(queues, [&](const Queue& other) {
      return other.out == q.out && other.vc == q.vc && inside(other) && kept(other) && other.tail;
    });
    if ((q.several || !kept(q)) && (inside(q) || (has_room && (open || ends))))
      foreseen.push_back(q);
  }

  std::vector<std::vector<Queue>> next(ahead_.size());
  for (std::size_t k = 0; k < next.size(); ++k) {
    next[k] = round(foreseen, keep_of(k == 0 ? going_on : ahead_[k - 1]), k > 0);
  }
  edge.moved = round(eligible, keep, iterations_ > 1);
  ahead_ = next;

  streams_.clear();
  for (const Queue& q : edge.moved) {
    moved.insert(q.in);
    if (!inside(q)) {
      grant_turn_[{q.out, q.vc}] = (q.in + 1) % ports_;
      accept_turn_[{q.in, q.vc}] = (q.out + 1) % ports_;
    }
    owner_.erase({q.out, q.vc});
    if (!q.tail) owner_[{q.out, q.vc}] = q.in;
    if (!q.tail && q.several) streams_.push_back(q);
  }
  for (const int in : has_hol) {
    if (!able.contains(in) && lacks_room.contains(in)) {
      ++edge.credit;
    } else if (!moved.contains(in)) {
      ++edge.arbiter;
    }
  }
  return edge;
}

}  // namespace fredsim
