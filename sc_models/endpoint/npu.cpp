#include "endpoint/npu.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace fredsim {
namespace {

// A root that multicasts its own operand starts a new packet only when this few
// copies wait per port.
constexpr std::size_t kForwardLimit = 2;

}  // namespace

Npu::Npu(sc_core::sc_module_name name, int ports, int lanes)
    : sc_core::sc_module(name),
      ports_(ports),
      sources_(static_cast<std::size_t>(ports)),
      next_source_(static_cast<std::size_t>(ports)),
      forward_(static_cast<std::size_t>(ports)),
      pool_(lanes) {
  tx.register_nb_transport_bw(this, &Npu::sent);
  rx.register_nb_transport_fw(this, &Npu::receive);
}

void Npu::start(CollectiveJob& job, int rank) {
  stop();
  job_ = &job;
  rank_ = rank;
  const Plan& plan = job.plan();
  trees_.resize(plan.trees.size());
  for (int tree = 0; tree < static_cast<int>(trees_.size()); ++tree) {
    prepare(tree, plan.trees[tree].ranks[rank]);
  }
  dirty_ = source_ports_;
  pump();
}

void Npu::prepare(int tree, const TreeRank& part) {
  TreeState& s = trees_[tree];
  s.part = &part;
  s.packets = job_->packets(tree);
  s.held.resize(part.reduce_from.size());
  s.arrived.resize(part.reduce_from.size());
  const bool in_switch = job_->plan().trees[tree].transport == Transport::kInSwitch;
  const bool sends_up = in_switch || !part.reduce_to.empty();
  s.sees_results = part.receives || !part.broadcast_to.empty();
  if (!part.contributes || !part.reduce_from.empty()) return;
  if (sends_up) {
    s.source_port = in_switch ? part.switch_port : part.reduce_to.front().port;
  } else if (!part.broadcast_to.empty()) {
    s.source_port = part.broadcast_to.front().port;
  } else {
    finish_alone(tree);
    return;
  }
  sources_[s.source_port].push_back(tree);
  source_ports_ |= 1U << s.source_port;
  if (!sends_up) multicast_ports_ |= 1U << s.source_port;
}

// Nobody to send to: the operand is the result.
void Npu::finish_alone(int tree) {
  for (std::uint64_t index = 0; index < trees_[tree].packets && !job_->failed(); ++index) {
    Packet& packet = make_packet(tree, false, index, rank_, 0);
    job_->fill_operand(rank_, tree, index, lanes_of(packet));
    on_result(tree, index, lanes_of(packet));
    packet.release();
  }
}

void Npu::stop() {
  trees_.clear();  // packets held belong to the NIC, which has taken them back
  for (auto& trees : sources_) trees.clear();
  for (auto& queue : forward_) {
    while (!queue.empty()) queue.pop();
  }
  pool_.reclaim();
  std::ranges::fill(next_source_, 0U);
  dirty_ = blocked_ = source_ports_ = multicast_ports_ = 0;
  job_ = nullptr;
}

bool Npu::complete() const {
  const bool nothing_held = std::ranges::all_of(trees_, [](const TreeState& s) {
    return std::ranges::all_of(s.held, [](const auto& q) { return q.empty(); });
  });
  const bool all_done = std::ranges::all_of(trees_, [](const TreeState& s) {
    return (s.source_port < 0 || s.started == s.packets) &&
           (s.held.empty() || s.reduced == s.packets) &&
           (!s.sees_results || s.results == s.packets);
  });
  return nothing_held && all_done &&
         std::ranges::all_of(forward_, [](const auto& q) { return q.empty(); });
}

void Npu::describe_missing(std::vector<std::string>& lines) const {
  for (int tree = 0; tree < static_cast<int>(trees_.size()); ++tree) {
    const TreeState& s = trees_[tree];
    for (std::size_t i = 0; i < s.held.size(); ++i) {
      if (s.arrived[i] == s.packets) continue;
      lines.push_back(fmt::format("rank {} tree {}: partial sum {} of {} from rank {} is missing",
                                  rank_, tree, s.arrived[i], s.packets, s.part->reduce_from[i]));
    }
    if (s.sees_results && s.results < s.packets) {
      lines.push_back(fmt::format("rank {} tree {}: result {} of {} is missing", rank_, tree,
                                  s.results, s.packets));
    }
    if (s.source_port >= 0 && s.started < s.packets) {
      lines.push_back(fmt::format("rank {} tree {}: sent {} of {} packets, window {}", rank_, tree,
                                  s.started, s.packets, job_->plan().window));
    }
  }
}

// ---- receiving

tlm::tlm_sync_enum Npu::receive(Packet& packet, tlm::tlm_phase&, sc_core::sc_time&) {
  packet.set_response_status(tlm::TLM_OK_RESPONSE);
  if (job_ == nullptr || job_->failed()) return tlm::TLM_COMPLETED;
  const PacketExtension& e = extension(packet);
  const int tree = static_cast<int>(e.stream >> 1);
  if (tree >= static_cast<int>(trees_.size())) {
    job_->fail(
        fmt::format("rank {}: a packet of tree {}, which the plan does not have", rank_, tree));
    return tlm::TLM_COMPLETED;
  }
  TreeState& s = trees_[tree];
  const bool in_switch = job_->plan().trees[tree].transport == Transport::kInSwitch;
  if (!in_switch && (e.stream & 1U) == 0) {
    on_partial(tree, packet, e);
  } else if (expect(tree, e, s.results, "result")) {
    on_result(tree, s.results, lanes_of(packet));
  }
  pump();
  return tlm::TLM_COMPLETED;
}

// Packets of one stream from one source arrive in order; a gap or a repeat is an
// error of the fabric.
bool Npu::expect(int tree, const PacketExtension& e, std::uint64_t index, const char* what) {
  const TreeState& s = trees_[tree];
  if (index < s.packets && e.index == (index & kIndexMask) && e.flits == job_->flits(tree, index)) {
    return true;
  }
  job_->fail(
      fmt::format("rank {} tree {}: {} packet {} of {} flits arrived where packet {} of {} was due",
                  rank_, tree, what, e.index, e.flits, index & kIndexMask, s.packets));
  return false;
}

void Npu::on_partial(int tree, Packet& packet, const PacketExtension& e) {
  TreeState& s = trees_[tree];
  const int source = job_->rank_of(e.source);
  const auto found = std::ranges::find(s.part->reduce_from, source);
  if (source < 0 || found == s.part->reduce_from.end()) {
    job_->fail(
        fmt::format("rank {} tree {}: a partial sum from address {}, which the plan does not "
                    "send here",
                    rank_, tree, e.source));
    return;
  }
  const auto input = static_cast<std::size_t>(found - s.part->reduce_from.begin());
  if (!expect(tree, e, s.arrived[input], "partial sum")) return;
  ++s.arrived[input];
  packet.acquire();
  s.held[input].push(&packet);
  while (std::ranges::none_of(s.held, [](const auto& q) { return q.empty(); })) combine(tree);
}

void Npu::combine(int tree) {
  TreeState& s = trees_[tree];
  const std::uint64_t index = s.reduced++;
  const int lanes = job_->flits(tree, index) * job_->lanes();
  const bool root = s.part->reduce_to.empty();
  const Send to = root ? Send{} : s.part->reduce_to.front();
  Packet& sum = make_packet(tree, false, index, root ? rank_ : to.rank, to.port);
  std::uint16_t* acc = lanes_of(sum);
  bool started = s.part->contributes;
  if (started) job_->fill_operand(rank_, tree, index, acc);
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
  if (root) {
    on_result(tree, index, acc);
    sum.release();
  } else {
    pass_on(sum, to.port);
  }
}

void Npu::on_result(int tree, std::uint64_t index, const std::uint16_t* lanes) {
  TreeState& s = trees_[tree];
  ++s.results;
  if (s.part->receives) job_->accept_result(rank_, tree, index, lanes);
  for (const Send& to : s.part->broadcast_to) {
    Packet& copy = make_packet(tree, true, index, to.rank, to.port);
    std::memcpy(lanes_of(copy), lanes, copy.get_data_length());
    pass_on(copy, to.port);
  }
  if (s.source_port >= 0) dirty_ |= 1U << s.source_port;
}

// ---- sending

Packet& Npu::make_packet(int tree, bool broadcast, std::uint64_t index, int to_rank, int port) {
  const Tree& t = job_->plan().trees[tree];
  PooledPacket& packet = pool_.allocate(job_->flits(tree, index));
  PacketExtension& e = packet.extension;
  e.source = job_->address(rank_);
  e.destination = job_->address(to_rank);
  e.stream = static_cast<std::uint32_t>(2 * tree + (broadcast ? 1 : 0));
  e.index = static_cast<std::uint32_t>(index) & kIndexMask;
  e.phase = t.transport == Transport::kInSwitch ? static_cast<std::uint8_t>(t.ranks[rank_].phase)
                                                : kPhaseOnline;
  e.vc = static_cast<std::uint8_t>(job_->plan().vc);
  e.port = static_cast<std::uint8_t>(port);
  e.seq = static_cast<std::uint8_t>(index & 63U);
  e.bytes = job_->bytes(tree, index);
  packet.set_address(e.destination);
  return packet;
}

void Npu::pass_on(Packet& packet, int port) {
  forward_[port].push(&packet);
  dirty_ |= 1U << port;
}

bool Npu::may_start(const TreeState& s) const {
  if (s.started == s.packets) return false;
  const auto window = static_cast<std::uint64_t>(job_->plan().window);
  if (s.sees_results && s.started - s.results >= window) return false;
  return std::ranges::all_of(s.part->broadcast_to, [&](const Send& to) {
    return !s.part->reduce_to.empty() || forward_[to.port].size() < kForwardLimit;
  });
}

bool Npu::start_packet(int port) {
  const std::vector<int>& trees = sources_[port];
  for (std::size_t tried = 0; tried < trees.size(); ++tried) {
    const int tree = trees[next_source_[port]];
    next_source_[port] = (next_source_[port] + 1) % trees.size();
    TreeState& s = trees_[tree];
    if (!may_start(s)) continue;
    const std::uint64_t index = s.started++;
    const bool in_switch = s.part->switch_port >= 0;
    const bool root = !in_switch && s.part->reduce_to.empty();
    const int to = root || in_switch ? rank_ : s.part->reduce_to.front().rank;
    Packet& packet = make_packet(tree, false, index, to, port);
    job_->fill_operand(rank_, tree, index, lanes_of(packet));
    if (root) {
      on_result(tree, index, lanes_of(packet));
      packet.release();
    } else {
      send(packet, port);
    }
    return true;
  }
  return false;
}

void Npu::send(Packet& packet, int port) {
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay;
  const tlm::tlm_sync_enum answer = tx->nb_transport_fw(packet, phase, delay);
  if (answer == tlm::TLM_COMPLETED) {
    job_->fail(
        fmt::format("rank {}: the NIC refused a packet: {}", rank_, packet.get_response_string()));
  } else if (answer == tlm::TLM_ACCEPTED) {
    blocked_ |= 1U << port;
  }
}

tlm::tlm_sync_enum Npu::sent(Packet& packet, tlm::tlm_phase& phase, sc_core::sc_time&) {
  if (phase == tlm::END_REQ) {
    const std::uint32_t port = 1U << static_cast<PooledPacket&>(packet).extension.port;  // our own
    blocked_ &= ~port;
    dirty_ |= port | multicast_ports_;
    if (job_ != nullptr) pump();
    return tlm::TLM_ACCEPTED;
  }
  packet.release();
  return tlm::TLM_COMPLETED;
}

void Npu::pump() {
  for (std::uint32_t able = dirty_ & ~blocked_; able != 0 && !job_->failed();
       able = dirty_ & ~blocked_) {
    const int port = std::countr_zero(able);
    dirty_ &= ~(1U << port);
    while ((blocked_ >> port & 1U) == 0) {
      if (!forward_[port].empty()) {
        send(*forward_[port].pop(), port);
      } else if (!start_packet(port)) {
        break;
      }
    }
  }
}

}  // namespace fredsim
