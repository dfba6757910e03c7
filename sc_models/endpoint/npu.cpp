#include "endpoint/npu.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace fredsim {
namespace {

// A root that multicasts its own operand starts a new packet only when this few
// copies wait per port.
constexpr std::size_t kOwnLimit = 2;

}  // namespace

Npu::Npu(sc_core::sc_module_name name, int ports, int lanes)
    : sc_core::sc_module(name),
      ports_(ports),
      channels_(static_cast<std::size_t>(ports * kNumVcs)),
      pool_(lanes) {
  tx.register_nb_transport_bw(this, &Npu::sent);
  rx.register_nb_transport_fw(this, &Npu::receive);
}

void Npu::allow(const CollectiveJob& job, int part) {
  if (Work* const w = work_of(job); w != nullptr) w->allowed[part] = true;
}

void Npu::release(const CollectiveJob& job, int part) {
  Work* const w = work_of(job);
  if (w == nullptr) return;
  w->allowed[part] = true;
  for (int local = 0; local < std::ssize(w->trees); ++local) {
    const TreeState& s = w->trees[local];
    if (s.part_number != part) continue;
    if (s.channel >= 0) {
      set_dirty(s.channel);
    } else if (!s.part->reduce_from.empty()) {
      combine_held(*w, local);  // what came before this rank began
    } else if (s.part->contributes) {
      finish_alone(*w, local);
    }
  }
  pump();
}

void Npu::resume(const CollectiveJob& job, int tree) {
  const Place at = find(job.stream(tree, false));
  if (at.work == nullptr || at.work->trees[at.local].channel < 0) return;
  set_dirty(at.work->trees[at.local].channel);
  pump();
}

// Nobody to send to: the operand is the result.
void Npu::finish_alone(Work& w, int local) {
  const TreeState& s = w.trees[local];
  for (std::uint64_t index = 0; index < s.packets && !failed(); ++index) {
    Packet& packet = make_packet(w, local, false, index, s.part->rank, 0);
    w.job->fill_operand(s.part->rank, s.tree, index, lanes_of(packet));
    on_result(w, local, index, lanes_of(packet));
    packet.release();
  }
}

// Most NPUs do something for every tree, and most runs are one job.
Npu::Place Npu::find(std::uint32_t stream) const {
  const int number = static_cast<int>(stream >> 1);
  for (auto work = works_.rbegin(); work != works_.rend(); ++work) {
    Work& w = **work;
    const int tree = number - w.job->first_tree();
    if (tree < 0) continue;
    if (tree < std::ssize(w.trees) && w.trees[tree].tree == tree) return {&w, tree};
    const auto found = std::ranges::lower_bound(w.trees, tree, {}, &TreeState::tree);
    if (found == w.trees.end() || found->tree != tree) return {};
    return {&w, static_cast<int>(found - w.trees.begin())};
  }
  return {};
}

bool Npu::failed() const {
  return std::ranges::any_of(works_, [](const auto& work) { return work->job->failed(); });
}

void Npu::done_one(Work& w, int part) {
  if (--w.left[part] == 0) w.job->rank_complete(part, w.rank[part]);
}

// ---- receiving

tlm::tlm_sync_enum Npu::receive(Packet& packet, tlm::tlm_phase&, sc_core::sc_time&) {
  packet.set_response_status(tlm::TLM_OK_RESPONSE);
  if (failed()) return tlm::TLM_COMPLETED;
  const PacketExtension& e = extension(packet);
  if (observer_ != nullptr && !works_.empty()) observer_->received(number_, packet);
  const auto [work, local] = find(e.stream);
  if (work == nullptr) {
    const std::string what = fmt::format(
        "{}: a packet of tree {}, which the plan does not have here", name(), e.stream >> 1);
    if (works_.empty()) {
      stray_ = what;
    } else {
      works_.front()->job->fail(what);
    }
    return tlm::TLM_COMPLETED;
  }
  const TreeState& s = work->trees[local];
  const bool in_switch = s.part->switch_port >= 0;
  if (!in_switch && (e.stream & 1U) == 0) {
    on_partial(*work, local, packet, e);
  } else if (expect(*work, local, e, s.results, "result")) {
    on_result(*work, local, s.results, lanes_of(packet));
  }
  pump();
  return tlm::TLM_COMPLETED;
}

// Packets of one stream from one source arrive in order; a gap or a repeat is an
// error of the fabric.
bool Npu::expect(const Work& w, int local, const PacketExtension& e, std::uint64_t index,
                 const char* what) {
  const TreeState& s = w.trees[local];
  if (index < s.packets && e.index == (index & kIndexMask) &&
      e.flits == w.job->flits(s.tree, index)) {
    return true;
  }
  w.job->fail(
      fmt::format("rank {} tree {}: {} packet {} of {} flits arrived where packet {} of {} was due",
                  s.part->rank, s.tree, what, e.index, e.flits, index & kIndexMask, s.packets));
  return false;
}

void Npu::on_partial(Work& w, int local, Packet& packet, const PacketExtension& e) {
  TreeState& s = w.trees[local];
  const int source = w.job->rank_of(s.part_number, e.source);
  const auto found = std::ranges::find(s.part->reduce_from, source);
  if (source < 0 || found == s.part->reduce_from.end()) {
    w.job->fail(
        fmt::format("rank {} tree {}: a partial sum from address {}, which the plan does not "
                    "send here",
                    s.part->rank, s.tree, e.source));
    return;
  }
  const auto input = static_cast<std::size_t>(found - s.part->reduce_from.begin());
  if (!expect(w, local, e, s.arrived[input], "partial sum")) return;
  ++s.arrived[input];
  packet.acquire();
  s.held[input].push(&packet);
  if (w.allowed[s.part_number]) combine_held(w, local);
}

// Sums of which everything has come.
void Npu::combine_held(Work& w, int local) {
  const TreeState& s = w.trees[local];
  while (std::ranges::none_of(s.held, [](const auto& q) { return q.empty(); })) combine(w, local);
}

void Npu::combine(Work& w, int local) {
  TreeState& s = w.trees[local];
  const std::uint64_t index = s.reduced++;
  const int lanes = w.job->flits(s.tree, index) * w.job->lanes();
  const bool root = s.part->reduce_to.empty();
  const Send to = root ? Send{} : s.part->reduce_to.front();
  Packet& sum = make_packet(w, local, false, index, root ? s.part->rank : to.rank, channel_of(to));
  std::uint16_t* acc = lanes_of(sum);
  bool started = s.part->contributes;
  if (started) w.job->fill_operand(s.part->rank, s.tree, index, acc);
  for (auto& queue : s.held) {
    Packet& input = *queue.pop();
    const std::uint16_t* in = lanes_of(input);
    if (started) {
      for (int l = 0; l < lanes; ++l) acc[l] = fp_add(w.job->format(), acc[l], in[l]);
    } else {
      std::memcpy(acc, in, static_cast<std::size_t>(lanes) * 2);
      started = true;
    }
    input.release();
  }
  const int additions = static_cast<int>(s.held.size()) - (s.part->contributes ? 0 : 1);
  if (observer_ != nullptr && additions > 0) observer_->added(number_, s.tree, additions);
  if (root) {
    on_result(w, local, index, acc);
    sum.release();
  } else {
    enqueue(w, s.part_number, sum, channel_of(to), &Channel::forward);
  }
  done_one(w, s.part_number);
}

void Npu::on_result(Work& w, int local, std::uint64_t index, const std::uint16_t* lanes) {
  TreeState& s = w.trees[local];
  ++s.results;
  if (s.part->receives) w.job->accept_result(s.part->rank, s.tree, index, lanes);
  for (const Send& to : s.part->broadcast_to) {
    Packet& copy = make_packet(w, local, true, index, to.rank, channel_of(to));
    std::memcpy(lanes_of(copy), lanes, copy.get_data_length());
    enqueue(w, s.part_number, copy, channel_of(to),
            is_multicast_source(s) ? &Channel::own : &Channel::forward);
  }
  if (s.channel >= 0) set_dirty(s.channel);
  if (s.sees_results) done_one(w, s.part_number);
}

// ---- sending

Packet& Npu::make_packet(const Work& w, int local, bool broadcast, std::uint64_t index, int to_rank,
                         int channel) {
  const TreeState& s = w.trees[local];
  const int part = s.part_number;
  PooledPacket& packet = pool_.allocate(w.job->flits(s.tree, index));
  PacketExtension& e = packet.extension;
  e.source = w.job->address(part, s.part->rank);
  e.destination = w.job->address(part, to_rank);
  e.stream = w.job->stream(s.tree, broadcast);
  e.index = static_cast<std::uint32_t>(index) & kIndexMask;
  e.phase = s.part->switch_port >= 0 ? w.job->phase(s.part->phase) : kPhaseOnline;
  e.vc = static_cast<std::uint8_t>(channel / ports_);
  e.port = static_cast<std::uint8_t>(channel % ports_);
  e.seq = static_cast<std::uint8_t>(index & 63U);
  e.bytes = w.job->bytes(s.tree, index);
  packet.set_address(e.destination);
  return packet;
}

// A packet of the part that takes its turn after others.
void Npu::enqueue(Work& w, int part, Packet& packet, int channel,
                  RingQueue<Packet*> Channel::*queue) {
  ++w.left[part];
  (channels_[channel].*queue).push(&packet);
  set_dirty(channel);
}

void Npu::send_queued(Packet& packet, int channel) {
  const Place at = find(static_cast<PooledPacket&>(packet).extension.stream);
  send(packet, channel);
  done_one(*at.work, at.work->trees[at.local].part_number);
}

bool Npu::may_start(const TreeState& s, const CollectiveJob& job) const {
  if (s.started == s.packets) return false;
  if (s.waits_for_results) {
    if (s.started >= job.reached(s.tree) + s.window) return false;
  } else if (s.sees_results && s.started - s.results >= s.window) {
    return false;
  }
  return !is_multicast_source(s) || std::ranges::all_of(s.part->broadcast_to, [&](const Send& to) {
    return channels_[channel_of(to)].own.size() < kOwnLimit;
  });
}

bool Npu::find_next_packet(Source& source) const {
  const Work& w = *source.work;
  const auto run = static_cast<std::uint64_t>(w.job->plan().parts[source.part].run);
  const auto step = [&](std::size_t i) { return plan_tree(w, source.trees[i]).step; };
  while (source.begin < source.trees.size()) {
    bool more = false;  // trees of this step that go on in a later round
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

// Trees of an earlier job still have packets to start: their flows may join where this one's do.
bool Npu::is_behind(Channel& channel, const Source& source) const {
  for (Source& earlier : channel.sources) {
    if (earlier.work == source.work) return false;
    if (earlier.in_switch && find_next_packet(earlier)) return true;
  }
  return false;
}

bool Npu::start_packet(int channel, bool multicast) {
  Channel& c = channels_[channel];
  for (std::size_t tried = 0; tried < c.sources.size(); ++tried) {
    Source& source = c.sources[c.next];
    c.next = c.next + 1 == c.sources.size() ? 0 : c.next + 1;
    Work& w = *source.work;
    if (!w.allowed[source.part]) continue;
    if (source.in_switch && (!find_next_packet(source) || is_behind(c, source))) continue;
    const int local = source.trees[source.at];
    if (multicast && !is_multicast_source(w.trees[local])) continue;
    if (!may_start(w.trees[local], *w.job)) continue;
    start_one(w, local);
    return true;
  }
  return false;
}

void Npu::start_one(Work& w, int local) {
  TreeState& s = w.trees[local];
  const std::uint64_t index = s.started++;
  const bool in_switch = s.part->switch_port >= 0;
  const bool root = !in_switch && s.part->reduce_to.empty();
  const int to = root || in_switch ? s.part->rank : s.part->reduce_to.front().rank;
  Packet& packet = make_packet(w, local, false, index, to, s.channel);
  w.job->fill_operand(s.part->rank, s.tree, index, lanes_of(packet));
  if (root) {
    on_result(w, local, index, lanes_of(packet));
    packet.release();
  } else {
    send(packet, s.channel);
  }
  done_one(w, s.part_number);
}

void Npu::send(Packet& packet, int channel) {
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay;
  if (observer_ != nullptr) observer_->queued(number_, packet);
  const tlm::tlm_sync_enum answer = tx->nb_transport_fw(packet, phase, delay);
  if (answer == tlm::TLM_COMPLETED) {
    find(extension(packet).stream)
        .work->job->fail(fmt::format("{}: the NIC refused a packet: {}", name(), refusal(packet)));
  } else if (answer == tlm::TLM_ACCEPTED) {
    blocked_[channel / ports_] |= 1U << channel % ports_;
  }
}

tlm::tlm_sync_enum Npu::sent(Packet& packet, tlm::tlm_phase& phase, sc_core::sc_time&) {
  if (phase == tlm::END_REQ) {
    const PacketExtension& e = static_cast<PooledPacket&>(packet).extension;  // our own
    const std::uint32_t port = 1U << e.port;
    blocked_[e.vc] &= ~port;
    dirty_[e.vc] |= port;
    for (int vc = 0; vc < kNumVcs; ++vc) dirty_[vc] |= multicast_[vc];
    if (!works_.empty()) pump();
    return tlm::TLM_ACCEPTED;
  }
  if (observer_ != nullptr) observer_->sent(number_, packet);
  packet.release();
  return tlm::TLM_COMPLETED;
}

void Npu::pump() {
  for (int vc = 0; vc < kNumVcs; ++vc) {
    std::uint32_t& dirty = dirty_[vc];
    const std::uint32_t& blocked = blocked_[vc];
    for (std::uint32_t able = dirty & ~blocked; able != 0 && !failed(); able = dirty & ~blocked) {
      const int port = std::countr_zero(able);
      const int channel = channel_of(port, vc);
      dirty &= ~(1U << port);
      while ((blocked >> port & 1U) == 0) {
        Channel& c = channels_[channel];
        if (c.own.empty() && (multicast_[vc] >> port & 1U) != 0) start_packet(channel, true);
        if (!c.own.empty()) {
          send_queued(*c.own.pop(), channel);
        } else if (!c.forward.empty()) {
          send_queued(*c.forward.pop(), channel);
        } else if (!start_packet(channel, false)) {
          break;
        }
      }
    }
  }
}

}  // namespace fredsim
