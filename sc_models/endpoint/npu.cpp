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

void Npu::start(CollectiveJob& job, const std::vector<Share>& shares) {
  stop();
  job_ = &job;
  trees_.resize(shares.size());
  for (int local = 0; local < std::ssize(shares); ++local) {
    trees_[local].tree = shares[local].tree;
    trees_[local].part = shares[local].rank;
    prepare(local);
  }
  for (Channel& channel : channels_) {
    for (Source& source : channel.sources) {
      std::ranges::stable_sort(source.trees, {}, [&](int local) { return plan_tree(local).step; });
      while (source.end < source.trees.size() &&
             plan_tree(source.trees[source.end]).step == plan_tree(source.trees.front()).step)
        ++source.end;
    }
  }
}

void Npu::prepare(int local) {
  TreeState& s = trees_[local];
  const TreeRank& part = *s.part;
  const Part& plan_part = job_->plan().parts[plan_tree(local).part];
  s.part_number = plan_tree(local).part;
  s.vc = static_cast<std::uint8_t>(plan_part.vc);
  s.window = static_cast<std::uint64_t>(plan_part.window);
  s.packets = job_->packets(s.tree);
  s.held.resize(part.reduce_from.size());
  s.arrived.resize(part.reduce_from.size());
  const bool in_switch = plan_tree(local).transport == Transport::kInSwitch;
  s.sees_results = part.receives || !part.broadcast_to.empty();
  s.waits_for_results = CollectiveJob::waits_for_results(plan_tree(local), part);
  if (!part.contributes || !part.reduce_from.empty()) return;
  if (in_switch) {
    s.channel = channel_of(part.switch_port, s.vc);
  } else if (!part.reduce_to.empty()) {
    s.channel = channel_of(part.reduce_to.front());
  } else if (!part.broadcast_to.empty()) {
    const Send& to = part.broadcast_to.front();
    s.channel = channel_of(to);
    multicast_[to.vc] |= 1U << to.port;
  } else {
    return;  // nobody to send to
  }
  add_source(local, in_switch);
}

void Npu::add_source(int local, bool in_switch) {
  std::vector<Source>& sources = channels_[trees_[local].channel].sources;
  const int part = trees_[local].part_number;
  const auto same = std::ranges::find_if(sources, [&](const Source& source) {
    return in_switch && source.in_switch && source.part == part;
  });
  if (same != sources.end()) {
    same->trees.push_back(local);
  } else {
    sources.push_back({.part = part, .in_switch = in_switch, .trees = {local}});
  }
}

void Npu::release(int part) {
  for (int local = 0; local < std::ssize(trees_); ++local) {
    const TreeState& s = trees_[local];
    if (s.part_number != part) continue;
    if (s.channel >= 0) {
      set_dirty(s.channel);
    } else if (s.part->contributes && s.part->reduce_from.empty()) {
      finish_alone(local);
    }
  }
  pump();
}

void Npu::resume(int tree) {
  const int local = find(tree);
  if (local < 0 || trees_[local].channel < 0) return;
  set_dirty(trees_[local].channel);
  pump();
}

// Nobody to send to: the operand is the result.
void Npu::finish_alone(int local) {
  const TreeState& s = trees_[local];
  for (std::uint64_t index = 0; index < s.packets && !job_->failed(); ++index) {
    Packet& packet = make_packet(local, false, index, s.part->rank, 0);
    job_->fill_operand(s.part->rank, s.tree, index, lanes_of(packet));
    on_result(local, index, lanes_of(packet));
    packet.release();
  }
}

void Npu::stop() {
  trees_.clear();  // packets held belong to the NIC, which has taken them back
  for (Channel& channel : channels_) {
    channel.sources.clear();
    channel.next = 0;
    while (!channel.own.empty()) channel.own.pop();
    while (!channel.forward.empty()) channel.forward.pop();
  }
  pool_.reclaim();
  dirty_ = blocked_ = multicast_ = {};
  job_ = nullptr;
}

bool Npu::complete() const {
  const bool nothing_held = std::ranges::all_of(trees_, [](const TreeState& s) {
    return std::ranges::all_of(s.held, [](const auto& q) { return q.empty(); });
  });
  const bool all_done = std::ranges::all_of(trees_, [](const TreeState& s) {
    return (s.channel < 0 || s.started == s.packets) &&
           (s.held.empty() || s.reduced == s.packets) &&
           (!s.sees_results || s.results == s.packets);
  });
  return nothing_held && all_done && std::ranges::all_of(channels_, [](const Channel& c) {
           return c.own.empty() && c.forward.empty();
         });
}

void Npu::describe_missing(std::vector<std::string>& lines) const {
  for (int local = 0; local < std::ssize(trees_); ++local) {
    const TreeState& s = trees_[local];
    const int rank = s.part->rank;
    const std::uint64_t out = job_->left_out(s.tree);
    const std::uint64_t packets = s.packets + out;
    for (std::size_t i = 0; i < s.held.size(); ++i) {
      if (s.arrived[i] == s.packets) continue;
      lines.push_back(fmt::format("rank {} tree {}: partial sum {} of {} from rank {} is missing",
                                  rank, s.tree, s.arrived[i] + out, packets,
                                  s.part->reduce_from[i]));
    }
    if (s.sees_results && s.results < s.packets) {
      lines.push_back(fmt::format("rank {} tree {}: result {} of {} is missing", rank, s.tree,
                                  s.results + out, packets));
    }
    if (s.channel >= 0 && s.started < s.packets) {
      lines.push_back(fmt::format("rank {} tree {}: sent {} of {} packets, window {}", rank, s.tree,
                                  s.started + out, packets, s.window));
    }
  }
}

// Most NPUs do something for every tree.
int Npu::find(int tree) const {
  if (tree < std::ssize(trees_) && trees_[tree].tree == tree) return tree;
  const auto found = std::ranges::lower_bound(trees_, tree, {}, &TreeState::tree);
  return found != trees_.end() && found->tree == tree ? static_cast<int>(found - trees_.begin())
                                                      : -1;
}

// ---- receiving

tlm::tlm_sync_enum Npu::receive(Packet& packet, tlm::tlm_phase&, sc_core::sc_time&) {
  packet.set_response_status(tlm::TLM_OK_RESPONSE);
  if (job_ == nullptr || job_->failed()) return tlm::TLM_COMPLETED;
  const PacketExtension& e = extension(packet);
  const int tree = static_cast<int>(e.stream >> 1);
  if (observer_ != nullptr) observer_->received(number_, packet);
  const int local = find(tree);
  if (local < 0) {
    job_->fail(
        fmt::format("{}: a packet of tree {}, which the plan does not have here", name(), tree));
    return tlm::TLM_COMPLETED;
  }
  const TreeState& s = trees_[local];
  const bool in_switch = s.part->switch_port >= 0;
  if (!in_switch && (e.stream & 1U) == 0) {
    on_partial(local, packet, e);
  } else if (expect(local, e, s.results, "result")) {
    on_result(local, s.results, lanes_of(packet));
  }
  pump();
  return tlm::TLM_COMPLETED;
}

// Packets of one stream from one source arrive in order; a gap or a repeat is an
// error of the fabric.
bool Npu::expect(int local, const PacketExtension& e, std::uint64_t index, const char* what) {
  const TreeState& s = trees_[local];
  if (index < s.packets && e.index == (index & kIndexMask) &&
      e.flits == job_->flits(s.tree, index)) {
    return true;
  }
  job_->fail(
      fmt::format("rank {} tree {}: {} packet {} of {} flits arrived where packet {} of {} was due",
                  s.part->rank, s.tree, what, e.index, e.flits, index & kIndexMask, s.packets));
  return false;
}

void Npu::on_partial(int local, Packet& packet, const PacketExtension& e) {
  TreeState& s = trees_[local];
  const int source = job_->rank_of(s.part_number, e.source);
  const auto found = std::ranges::find(s.part->reduce_from, source);
  if (source < 0 || found == s.part->reduce_from.end()) {
    job_->fail(
        fmt::format("rank {} tree {}: a partial sum from address {}, which the plan does not "
                    "send here",
                    s.part->rank, s.tree, e.source));
    return;
  }
  const auto input = static_cast<std::size_t>(found - s.part->reduce_from.begin());
  if (!expect(local, e, s.arrived[input], "partial sum")) return;
  ++s.arrived[input];
  packet.acquire();
  s.held[input].push(&packet);
  while (std::ranges::none_of(s.held, [](const auto& q) { return q.empty(); })) combine(local);
}

void Npu::combine(int local) {
  TreeState& s = trees_[local];
  const std::uint64_t index = s.reduced++;
  const int lanes = job_->flits(s.tree, index) * job_->lanes();
  const bool root = s.part->reduce_to.empty();
  const Send to = root ? Send{} : s.part->reduce_to.front();
  Packet& sum = make_packet(local, false, index, root ? s.part->rank : to.rank, channel_of(to));
  std::uint16_t* acc = lanes_of(sum);
  bool started = s.part->contributes;
  if (started) job_->fill_operand(s.part->rank, s.tree, index, acc);
  for (auto& queue : s.held) {
    Packet& input = *queue.pop();
    const std::uint16_t* in = lanes_of(input);
    if (started) {
      for (int l = 0; l < lanes; ++l) acc[l] = fp_add(job_->format(), acc[l], in[l]);
    } else {
      std::memcpy(acc, in, static_cast<std::size_t>(lanes) * 2);
      started = true;
    }
    input.release();
  }
  const int additions = static_cast<int>(s.held.size()) - (s.part->contributes ? 0 : 1);
  if (observer_ != nullptr && additions > 0) observer_->added(number_, s.tree, additions);
  if (root) {
    on_result(local, index, acc);
    sum.release();
  } else {
    pass_on(sum, channel_of(to));
  }
}

void Npu::on_result(int local, std::uint64_t index, const std::uint16_t* lanes) {
  TreeState& s = trees_[local];
  ++s.results;
  if (s.part->receives) job_->accept_result(s.part->rank, s.tree, index, lanes);
  for (const Send& to : s.part->broadcast_to) {
    Packet& copy = make_packet(local, true, index, to.rank, channel_of(to));
    std::memcpy(lanes_of(copy), lanes, copy.get_data_length());
    const int channel = channel_of(to);
    (is_multicast_source(s) ? channels_[channel].own : channels_[channel].forward).push(&copy);
    set_dirty(channel);
  }
  if (s.channel >= 0) set_dirty(s.channel);
}

// ---- sending

Packet& Npu::make_packet(int local, bool broadcast, std::uint64_t index, int to_rank, int channel) {
  const TreeState& s = trees_[local];
  const int part = s.part_number;
  PooledPacket& packet = pool_.allocate(job_->flits(s.tree, index));
  PacketExtension& e = packet.extension;
  e.source = job_->address(part, s.part->rank);
  e.destination = job_->address(part, to_rank);
  e.stream = static_cast<std::uint32_t>(2 * s.tree + (broadcast ? 1 : 0));
  e.index = static_cast<std::uint32_t>(index) & kIndexMask;
  e.phase = s.part->switch_port >= 0 ? static_cast<std::uint8_t>(s.part->phase) : kPhaseOnline;
  e.vc = static_cast<std::uint8_t>(channel / ports_);
  e.port = static_cast<std::uint8_t>(channel % ports_);
  e.seq = static_cast<std::uint8_t>(index & 63U);
  e.bytes = job_->bytes(s.tree, index);
  packet.set_address(e.destination);
  return packet;
}

void Npu::pass_on(Packet& packet, int channel) {
  channels_[channel].forward.push(&packet);
  set_dirty(channel);
}

bool Npu::may_start(const TreeState& s) const {
  if (s.started == s.packets) return false;
  if (s.waits_for_results) {
    if (s.started >= job_->reached(s.tree) + s.window) return false;
  } else if (s.sees_results && s.started - s.results >= s.window) {
    return false;
  }
  return !is_multicast_source(s) || std::ranges::all_of(s.part->broadcast_to, [&](const Send& to) {
    return channels_[channel_of(to)].own.size() < kOwnLimit;
  });
}

bool Npu::find_next_packet(Source& source) const {
  const auto run = static_cast<std::uint64_t>(job_->plan().parts[source.part].run);
  const auto step = [&](std::size_t i) { return plan_tree(source.trees[i]).step; };
  while (source.begin < source.trees.size()) {
    bool more = false;  // trees of this step that go on in a later round
    for (;; ++source.at) {
      if (source.at == source.end) {
        more =
            std::any_of(source.trees.begin() + static_cast<std::ptrdiff_t>(source.begin),
                        source.trees.begin() + static_cast<std::ptrdiff_t>(source.end),
                        [&](int local) { return trees_[local].started < trees_[local].packets; });
        break;
      }
      const TreeState& s = trees_[source.trees[source.at]];
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

bool Npu::start_packet(int channel, bool multicast) {
  Channel& c = channels_[channel];
  for (std::size_t tried = 0; tried < c.sources.size(); ++tried) {
    Source& source = c.sources[c.next];
    c.next = c.next + 1 == c.sources.size() ? 0 : c.next + 1;
    if (!job_->released(source.part)) continue;
    if (source.in_switch && !find_next_packet(source)) continue;
    const int local = source.trees[source.at];
    if (multicast && !is_multicast_source(trees_[local])) continue;
    if (!may_start(trees_[local])) continue;
    start_one(local);
    return true;
  }
  return false;
}

void Npu::start_one(int local) {
  TreeState& s = trees_[local];
  const std::uint64_t index = s.started++;
  const bool in_switch = s.part->switch_port >= 0;
  const bool root = !in_switch && s.part->reduce_to.empty();
  const int to = root || in_switch ? s.part->rank : s.part->reduce_to.front().rank;
  Packet& packet = make_packet(local, false, index, to, s.channel);
  job_->fill_operand(s.part->rank, s.tree, index, lanes_of(packet));
  if (root) {
    on_result(local, index, lanes_of(packet));
    packet.release();
  } else {
    send(packet, s.channel);
  }
}

void Npu::send(Packet& packet, int channel) {
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay;
  if (observer_ != nullptr) observer_->queued(number_, packet);
  const tlm::tlm_sync_enum answer = tx->nb_transport_fw(packet, phase, delay);
  if (answer == tlm::TLM_COMPLETED) {
    job_->fail(fmt::format("{}: the NIC refused a packet: {}", name(), refusal(packet)));
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
    if (job_ != nullptr) pump();
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
    for (std::uint32_t able = dirty & ~blocked; able != 0 && !job_->failed();
         able = dirty & ~blocked) {
      const int port = std::countr_zero(able);
      const int channel = channel_of(port, vc);
      dirty &= ~(1U << port);
      while ((blocked >> port & 1U) == 0) {
        Channel& c = channels_[channel];
        if (c.own.empty() && (multicast_[vc] >> port & 1U) != 0) start_packet(channel, true);
        if (!c.own.empty()) {
          send(*c.own.pop(), channel);
        } else if (!c.forward.empty()) {
          send(*c.forward.pop(), channel);
        } else if (!start_packet(channel, false)) {
          break;
        }
      }
    }
  }
}

// ---- leaving out periods

void Npu::add_progress(std::vector<std::uint64_t>& furthest) const {
  for (const TreeState& s : trees_) {
    std::uint64_t& of_tree = furthest[static_cast<std::size_t>(s.tree)];
    if (s.channel >= 0) of_tree = std::max(of_tree, s.started);
  }
}

void Npu::add_state(const std::vector<std::uint64_t>& furthest, StateDigest& digest) const {
  const auto add_packet = [&](const Packet* packet) {
    const PacketExtension& e = static_cast<const PooledPacket*>(packet)->extension;
    digest.add(std::uint64_t{e.stream} << 32 | std::uint64_t{e.destination} << 16 |
               static_cast<std::uint16_t>(e.flits));
  };
  for (const TreeState& s : trees_) {
    const std::uint64_t from = furthest[static_cast<std::size_t>(s.tree)];
    digest.add(s.channel >= 0 ? from - s.started : 0);
    digest.add(s.sees_results ? from - s.results : 0);
    digest.add(s.held.empty() ? 0 : from - s.reduced);
    for (std::size_t i = 0; i < s.held.size(); ++i) {
      digest.add(from - s.arrived[i]);
      digest.add(s.held[i].size());
    }
  }
  for (const Channel& channel : channels_) {
    digest.add(channel.next);
    for (const Source& source : channel.sources) {
      if (!source.in_switch) continue;
      digest.add_all(std::array{source.begin, source.end, source.at});
      std::uint64_t most = 0;  // of this step's trees: the round is relative to them
      for (std::size_t i = source.begin; i < source.end; ++i) {
        most = std::max(most, trees_[source.trees[i]].started);
      }
      const Part& part = job_->plan().parts[source.part];
      digest.add(most - source.round * static_cast<std::uint64_t>(part.run));
    }
    for (const auto* queue : {&channel.own, &channel.forward}) {
      digest.add(queue->size());
      for (std::size_t i = 0; i < queue->size(); ++i) add_packet(queue->at(i));
    }
  }
  digest.add_all(dirty_);
  digest.add_all(blocked_);
}

void Npu::shorten() {
  for (TreeState& s : trees_) s.packets = job_->packets(s.tree);
}

}  // namespace fredsim
