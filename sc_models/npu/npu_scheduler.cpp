// SPDX-License-Identifier: Apache-2.0
#include "npu/npu_scheduler.h"

#include <algorithm>
#include <utility>

#include "nic/packet_pool.h"

namespace fredsim {
namespace {

// A broadcast root starts a new packet only with fewer copies than this waiting per channel.
constexpr std::size_t kOwnLimit = 2;
// Maximum lead, in intervals, of ordered packets over packets of other virtual channels.
constexpr std::uint64_t kLead = 2;

// Packets of trees that a rank has left to start, and all flits of these trees.
struct Remaining {
  std::uint64_t packets = 0, all = 0;
};
Remaining remaining(const Work& work, const std::vector<int>& trees) {
  Remaining sum;
  for (const int local : trees) {
    sum.packets += work.trees[local].packets - work.trees[local].started;
    sum.all += work.plan_tree(local).flits;
  }
  return sum;
}

}  // namespace

void NpuScheduler::add(Work& work) {
  for (int local = 0; local < std::ssize(work.trees); ++local) add_source(work, local);
  find_beside(work);
  for (Channel& channel : channels_) {
    for (Source& source : channel.sources) {
      if (source.work != &work || !source.turns.empty()) continue;
      const auto step = [&](int local) { return work.plan_tree(local).step; };
      std::ranges::stable_sort(source.trees, {}, step);
      const int first = step(source.trees.front());
      while (source.end < source.trees.size() && step(source.trees[source.end]) == first)
        ++source.end;
    }
  }
}

void NpuScheduler::add_source(Work& work, int local) {
  const TreeState& s = work.trees[local];
  if (work.plan_tree(local).interval != 0) {
    add_turns(work, local);
    if (s.role != Role::kHead) return;
  }
  if (!is_source(s.role)) return;
  if (s.role == Role::kHead) {
    const Send& to = s.part->broadcast_to.front();
    heads_[to.vc] |= 1U << to.port;
  }
  std::vector<Source>& sources = channels_[s.channel].sources;
  const int part = s.part_number;
  const auto same = std::ranges::find_if(sources, [&](const Source& source) {
    return s.in_switch && source.in_switch && source.work == &work && source.part == part;
  });
  if (same != sources.end()) {
    same->trees.push_back(local);
  } else {
    sources.push_back({.work = &work,
                       .part = part,
                       .in_switch = s.in_switch,
                       .trees = {local},
                       .keeps_pace = work.job->plan().parts[part].lead > 0,
                       .turns = {},
                       .beside = {}});
  }
}

auto NpuScheduler::ordered_source(auto& channel, const Work& work, int part)
    -> decltype(channel.sources.data()) {
  const auto found = std::ranges::find_if(channel.sources, [&](const Source& source) {
    return source.work == &work && source.part == part && !source.turns.empty();
  });
  return found != channel.sources.end() ? &*found : nullptr;
}

void NpuScheduler::find_beside(const Work& work) {
  for (int number = 0; number < std::ssize(channels_); ++number) {
    for (Source& source : channels_[number].sources) {
      if (source.work != &work || source.turns.empty()) continue;
      // An all-to-all on a mesh has blocks of all distances: its channels are best left
      // independent.
      if (work.job->plan().parts[source.part].collective != Collective::kAllReduce) continue;
      for (int other = number % ports_; other < std::ssize(channels_); other += ports_)
        if (other != number && ordered_source(channels_[other], work, source.part) != nullptr)
          source.beside.push_back(other);
    }
  }
}

void NpuScheduler::add_turns(Work& work, int local) {
  const TreeState& s = work.trees[local];
  const auto add = [&](const Send& to, bool is_result) {
    Channel& c = channels_[channel(to)];
    Source* source = ordered_source(c, work, s.part_number);
    if (source == nullptr)
      source = &c.sources.emplace_back(
          Source{.work = &work, .part = s.part_number, .trees = {}, .turns = {}, .beside = {}});
    source->turns.add({.local = local,
                       .is_result = is_result,
                       .is_own = !is_result && s.role == Role::kLeaf,
                       .to_rank = to.rank,
                       .interval = work.plan_tree(local).interval,
                       .due = to.due});
  };
  for (const Send& to : s.part->reduce_to) add(to, false);
  for (const Send& to : s.part->broadcast_to) add(to, true);
}

void NpuScheduler::remove(const Work& work) {
  bool has_sources = false;
  for (Channel& channel : channels_) {
    for (std::size_t i = channel.sources.size(); i-- > 0;) {
      if (channel.sources[i].work != &work) continue;
      channel.sources.erase(channel.sources.begin() + static_cast<std::ptrdiff_t>(i));
      if (channel.next > i) --channel.next;
    }
    if (channel.next >= channel.sources.size()) channel.next = 0;
    has_sources |= !channel.sources.empty();
  }
  if (!has_sources) heads_ = {};
}

void NpuScheduler::clear() {
  for (Channel& channel : channels_) {
    channel.sources.clear();
    channel.next = 0;
    while (!channel.copies.empty()) channel.copies.pop();
    while (!channel.passed_on.empty()) channel.passed_on.pop();
  }
  awake_ = heads_ = held_back_ = {};
}

void NpuScheduler::push(Packet& packet, int channel, Queue queue) {
  Channel& c = channels_[channel];
  (queue == Queue::kCopies ? c.copies : c.passed_on).push(&packet);
  wake(channel);
}

void NpuScheduler::push_in_turn(const Work& work, int local, bool is_result, const Send& to,
                                Packet& packet) {
  const int number = channel(to);
  ordered_source(channels_[number], work, work.trees[local].part_number)
      ->turns.push(local, is_result, to.rank, packet);
  wake(number);
}

void NpuScheduler::wake_heads() {
  for (int vc = 0; vc < kNumVcs; ++vc) awake_[vc] |= heads_[vc];
}

bool NpuScheduler::empty() const {
  return std::ranges::all_of(channels_, [](const Channel& c) {
    return c.copies.empty() && c.passed_on.empty() &&
           std::ranges::none_of(c.sources, [](const Source& s) { return s.turns.has_ready(); });
  });
}

void NpuScheduler::wake_held_back() {
  for (int vc = 0; vc < kNumVcs; ++vc) awake_[vc] |= std::exchange(held_back_[vc], 0);
}

NpuScheduler::Next NpuScheduler::next(int channel) {
  const Next next = find_next(channel);
  // A channel that has found a packet is tried again anyway, and must not be tried before the
  // packet is sent.
  if (next.queued != nullptr || next.work != nullptr)
    held_back_[channel / ports_] &= ~(1U << channel % ports_);
  if (next.work != nullptr) wake_held_back();
  return next;
}

NpuScheduler::Next NpuScheduler::find_next(int channel) {
  Channel& c = channels_[channel];
  if (c.copies.empty() && (heads_[channel / ports_] >> channel % ports_ & 1U) != 0) {
    if (const Next head = start(c, true); head.work != nullptr) return head;
  }
  if (!c.copies.empty()) {
    // Heads may wait for this, on any channel.
    if (c.copies.size() == kOwnLimit) wake_heads();
    return {.queued = c.copies.pop()};
  }
  if (!c.passed_on.empty()) return {.queued = c.passed_on.pop()};
  return start(c, false);
}

// Returns true if the pace does not allow the next packet yet; the channel is woken when it does.
bool NpuScheduler::is_early(TreeState& s) {
  if (!s.pace || s.started == s.packets) return false;
  TreePace& pace = *s.pace;
  if (!std::exchange(pace.has_begun, true)) pace.not_before = now();
  if (pace.not_before <= now()) {
    pace.is_waited_for = false;
    return false;
  }
  if (!std::exchange(pace.is_waited_for, true)) timers_->call_at(pace.not_before, *npu_, s.channel);
  return true;
}

// Copies of a broadcast root's packets that have not left.
std::size_t NpuScheduler::copies_waiting(const Work& work, const TreeState& s,
                                         const Send& to) const {
  const Channel& c = channels_[channel(to)];
  const auto local = static_cast<int>(&s - work.trees.data());
  if (work.plan_tree(local).interval == 0) return c.copies.size();
  return ordered_source(c, work, s.part_number)->turns.ready(local, to.rank);
}

bool NpuScheduler::may_start(const Work& work, const TreeState& s) const {
  if (s.started == s.packets) return false;
  // Operands of detached ranks come first.
  if (!s.has_inputs_for_one()) return false;
  if (s.goes_by_acknowledgements) {
    if (s.started >= s.reached + s.window) return false;
  } else if (s.sees_results && s.started - s.results >= s.window) {
    return false;
  }
  return s.role != Role::kHead || std::ranges::all_of(s.part->broadcast_to, [&](const Send& to) {
           return copies_waiting(work, s, to) < kOwnLimit;
         });
}

bool NpuScheduler::find_next_packet(Source& source) {
  const Work& w = *source.work;
  const auto run = static_cast<std::uint64_t>(w.job->plan().parts[source.part].run);
  const auto step = [&](std::size_t i) { return w.plan_tree(source.trees[i]).step; };
  while (source.begin < source.trees.size()) {
    bool more = false;  // trees of this step that continue in a later round
    for (;; ++source.at) {
      if (source.at == source.end) {
        more =
            std::any_of(source.trees.begin() + static_cast<std::ptrdiff_t>(source.begin),
                        source.trees.begin() + static_cast<std::ptrdiff_t>(source.end),
                        [&](int local) { return w.trees[local].started < w.trees[local].packets; });
        break;
      }
      const TreeState& s = w.trees[source.trees[source.at]];
      if (s.started < std::min(s.packets, (source.round + 1) * run)) return true;
    }
    if (more) {
      ++source.round;
      source.at = source.begin;
      continue;
    }
    source.begin = source.at = source.end;
    source.round = 0;
    while (source.end < source.trees.size() && step(source.end) == step(source.begin)) ++source.end;
  }
  return false;
}

// Returns true if trees of an earlier job still have packets to start: their flows may join at the
// switches where this one's do.
bool NpuScheduler::is_behind(Channel& channel, const Source& source) {
  for (Source& earlier : channel.sources) {
    if (earlier.work == source.work) return false;
    if (earlier.in_switch && find_next_packet(earlier)) return true;
  }
  return false;
}

// Returns true if another virtual channel of the NIC port has a packet of the part to send with a
// much earlier due time.
bool NpuScheduler::is_ahead(const Source& source, const PacketTurn& turn) {
  return std::ranges::any_of(source.beside, [&](int number) {
    Source* const other = ordered_source(channels_[number], *source.work, source.part);
    const PacketTurn* const first = other->turns.next(*source.work);
    return first != nullptr && first->due + kLead * turn.interval < turn.due;
  });
}

// Returns true if another source of the part has a larger share of its packets left, by more than
// the part's lead.
bool NpuScheduler::is_out_of_pace(const Source& source) const {
  if (!source.keeps_pace) return false;
  const Work& w = *source.work;
  const auto lead = static_cast<std::uint64_t>(w.job->plan().parts[source.part].lead);
  const Remaining own = remaining(w, source.trees);
  for (const Channel& channel : channels_) {
    for (const Source& other : channel.sources) {
      if (other.work != &w || other.part != source.part) continue;
      const Remaining its = remaining(w, other.trees);
      if (its.packets * own.all > (own.packets + lead) * its.all) return true;
    }
  }
  return false;
}

// Next packet of ordered trees.
NpuScheduler::Next NpuScheduler::next_in_turn(Source& source) {
  Work& w = *source.work;
  PacketTurn* const turn = source.turns.next(w);
  if (turn == nullptr || is_ahead(source, *turn)) return {};
  Next next;
  if (turn->is_own) {
    TreeState& s = w.trees[turn->local];
    if (!w.allowed[source.part] || is_early(s) || !may_start(w, s)) return {};
    next = {.work = &w, .local = turn->local};
  } else {
    if (turn->ready.empty()) return {};
    next = {.queued = turn->ready.pop()};
  }
  source.turns.count_sent();
  for (const int number : source.beside) wake(number);
  return next;
}

NpuScheduler::Next NpuScheduler::start(Channel& c, bool heads) {
  for (std::size_t tried = 0; tried < c.sources.size(); ++tried) {
    Source& source = c.sources[c.next];
    c.next = c.next + 1 == c.sources.size() ? 0 : c.next + 1;
    Work& w = *source.work;
    if (!source.turns.empty()) {
      const Next next = heads ? Next{} : next_in_turn(source);
      if (next.queued != nullptr || next.work != nullptr) return next;
      continue;
    }
    if (!w.allowed[source.part]) continue;
    if (source.in_switch && (!find_next_packet(source) || is_behind(c, source))) continue;
    const int local = source.trees[source.at];
    if (heads && w.trees[local].role != Role::kHead) continue;
    if (is_early(w.trees[local]) || !may_start(w, w.trees[local])) continue;
    if (is_out_of_pace(source)) {
      const auto channel = static_cast<int>(&c - channels_.data());
      held_back_[channel / ports_] |= 1U << channel % ports_;
      continue;
    }
    return {.work = &w, .local = local};
  }
  return {};
}

// Progress relative to other virtual channels is included.
void NpuScheduler::add_state_of_turns(const Source& source, StateDigest& digest) const {
  source.turns.add_state(*source.work, digest);
  const std::uint64_t due = source.turns.first_due(*source.work);
  for (const int number : source.beside) {
    const Source* const other = ordered_source(channels_[number], *source.work, source.part);
    digest.add(due - other->turns.first_due(*source.work));
  }
}

// Packets left of its trees, relative to the first source here that it keeps pace with.
void NpuScheduler::add_pace(const Source& source, StateDigest& digest) const {
  if (!source.keeps_pace) return;
  for (const Channel& channel : channels_) {
    const auto first = std::ranges::find_if(channel.sources, [&](const Source& other) {
      return other.work == source.work && other.part == source.part;
    });
    if (first == channel.sources.end()) continue;
    const Remaining of_first = remaining(*first->work, first->trees);
    const Remaining own = remaining(*source.work, source.trees);
    digest.add(own.packets * of_first.all - of_first.packets * own.all);
    return;
  }
}

void NpuScheduler::add_state(StateDigest& digest) const {
  const auto add_packet = [&](const Packet* packet) {
    const PacketExtension& e = static_cast<const PooledPacket*>(packet)->extension;
    digest.add(std::uint64_t{e.stream} << 32 | std::uint64_t{e.destination} << 16 |
               static_cast<std::uint16_t>(e.flits));
  };
  for (const Channel& channel : channels_) {
    digest.add(channel.next);
    digest.add(channel.sources.size());
    for (const Source& source : channel.sources) {
      digest.add(static_cast<std::uint64_t>(source.work->job->first_tree()) << 32 |
                 static_cast<std::uint32_t>(source.part));
      if (!source.turns.empty()) add_state_of_turns(source, digest);
      add_pace(source, digest);
      if (!source.in_switch) continue;
      digest.add_all(std::array{source.begin, source.end, source.at});
      std::uint64_t max = 0;  // maximum of this step's trees, to which the round is relative
      for (std::size_t i = source.begin; i < source.end; ++i) {
        max = std::max(max, source.work->trees[source.trees[i]].started);
      }
      const Part& part = source.work->job->plan().parts[source.part];
      digest.add(max - source.round * static_cast<std::uint64_t>(part.run));
    }
    for (const auto* queue : {&channel.copies, &channel.passed_on}) {
      digest.add(queue->size());
      for (std::size_t i = 0; i < queue->size(); ++i) add_packet(queue->at(i));
    }
  }
  digest.add_all(awake_);
  digest.add_all(heads_);
  digest.add_all(held_back_);
}

}  // namespace fredsim
