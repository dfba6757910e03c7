// SPDX-License-Identifier: Apache-2.0
#include "nic/nic.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/error.h"
#include "nic/detail/packet_check.h"

namespace fredsim {

Nic::Nic(sc_core::sc_module_name name, const NicShape& shape)
    : sc_core::sc_module(name),
      shape_(shape),
      words_(flit_words(shape.lanes)),
      sending_(static_cast<std::size_t>(shape.ports * kNumVcs)),
      send_(sending_.size()),
      current_(sending_.size()),
      receive_(sending_.size()),
      pool_(shape.lanes) {
  sc_assert(shape.ports >= 1 && shape.ports <= 32);
  tx.register_nb_transport_fw(this, &Nic::tx_transport);
  tx.register_b_transport(this, &Nic::tx_blocking);
  rx.register_nb_transport_bw(this, &Nic::rx_answer);
}

void Nic::reset() {
  for (SendQueue& q : send_) {
    while (!q.packets.empty()) {
      Packet& packet = *q.packets.pop().packet;
      if (packet.has_mm()) packet.release();
    }
    if (q.request.packet != nullptr && q.request.packet->has_mm()) q.request.packet->release();
    q.request = {};
  }
  std::ranges::fill(current_, Reassembly{});
  for (ReceiveQueue& q : receive_) {
    q.others.clear();
    q.first = q.buffered = 0;
    q.delivering = nullptr;
  }
  pool_.reclaim();
  queued_ = inside_ = held_up_ = backlog_ = {};
  failure_.clear();
}

void Nic::set_credits(int port, int vc, int flits) {
  sending_[at(port, vc)].credits = flits;
  const std::uint32_t bit = 1U << port;
  credited_[vc] = flits > 0 ? credited_[vc] | bit : credited_[vc] & ~bit;
}

void Nic::step(SwitchPins& pins) {
  if (!failure_.empty()) throw RunFailed(failure_);
  for (int vc = 0; vc < kNumVcs; ++vc) {
    if (pins.out_credit[vc] == 0) continue;
    credited_[vc] |= pins.out_credit[vc];
    for (std::uint32_t left = pins.out_credit[vc]; left != 0; left &= left - 1) {
      ++sending_[at(std::countr_zero(left), vc)].credits;
    }
  }
  pins.out_valid = 0;
  pins.in_credit = {};
  std::uint32_t going_on = 0;  // ports at which the remaining flits of a phase's packet go first
  for (int vc = 0; vc < kNumVcs; ++vc) going_on |= inside_[vc] & queued_[vc] & credited_[vc];
  for (const int vc : shape_.vc_order) {
    const std::uint32_t ports = queued_[vc] & credited_[vc] & (inside_[vc] | ~going_on);
    for (std::uint32_t left = ports & pins.out_ready & ~pins.out_valid; left != 0;
         left &= left - 1) {
      launch(std::countr_zero(left), vc, pins);
    }
  }
  for (std::uint32_t left = pins.in_valid; left != 0; left &= left - 1) {
    const int port = std::countr_zero(left);
    take_in(port, &pins.in_flit[port * words_], pins);
  }
  // one flit leaves the buffer per port and cycle
  const std::uint32_t busy = on_any_vc(pins.in_credit);
  for (std::uint32_t left = on_any_vc(backlog_) & ~busy; left != 0; left &= left - 1) {
    drain(std::countr_zero(left), pins);
  }
}

bool Nic::empty() const {
  return on_any_vc(queued_) == 0 && on_any_vc(held_up_) == 0 &&
         std::ranges::all_of(current_, [](const Reassembly& r) { return r.packet == nullptr; }) &&
         std::ranges::all_of(receive_, [](const ReceiveQueue& q) { return q.others.empty(); });
}

void Nic::describe_waiting(const std::vector<std::string>& peers,
                           std::vector<std::string>& lines) const {
  for (int port = 0; port < shape_.ports; ++port) {
    for (int vc = 0; vc < kNumVcs; ++vc) {
      const SendQueue& s = send_[at(port, vc)];
      if (!s.packets.empty()) {
        lines.push_back(
            fmt::format("{} port {} VC {}: {} packets to send, {}", sc_core::sc_object::basename(),
                        port, kVcTitles[vc], s.packets.size(),
                        sending_[at(port, vc)].credits == 0 ? "no credit from " + peers[port]
                                                            : "ready, the link is not"));
      }
      const ReceiveQueue& r = receive_[at(port, vc)];
      std::vector<Reassembly> open_packets = r.others;
      if (current_[at(port, vc)].packet != nullptr) open_packets.push_back(current_[at(port, vc)]);
      for (const Reassembly& open : open_packets) {
        lines.push_back(fmt::format("{} port {} VC {}: a packet from address {} is incomplete",
                                    sc_core::sc_object::basename(), port, kVcTitles[vc],
                                    open.source));
      }
      if (r.delivering != nullptr) {
        lines.push_back(fmt::format(
            "{} port {} VC {}: the endpoint does not take a packet; {} flits wait behind it",
            sc_core::sc_object::basename(), port, kVcTitles[vc], r.buffered));
      }
    }
  }
}

// ---- packets to send

const PacketExtension* Nic::check(Packet& packet) const {
  if (const std::optional<Refusal> refusal = check_packet(packet, shape_)) {
    refuse(packet, refusal->status, refusal->text);
    return nullptr;
  }
  return packet.get_extension<PacketExtension>();
}

void Nic::refuse(Packet& packet, tlm::tlm_response_status status, const std::string& text) const {
  packet.set_response_status(status);
  if (auto* e = packet.get_extension<PacketExtension>(); e != nullptr) {
    e->refusal = fmt::format("{}: packet: {}", sc_core::sc_object::basename(), text);
  }
}

tlm::tlm_sync_enum Nic::tx_transport(Packet& packet, tlm::tlm_phase& phase, sc_core::sc_time&) {
  if (phase == tlm::END_RESP) return tlm::TLM_COMPLETED;
  if (phase != tlm::BEGIN_REQ) {
    refuse(packet, tlm::TLM_GENERIC_ERROR_RESPONSE,
           fmt::format("phase of the call: found {}; allowed: BEGIN_REQ and END_RESP",
                       phase.get_name()));
    return tlm::TLM_COMPLETED;
  }
  const PacketExtension* e = check(packet);
  if (e == nullptr) return tlm::TLM_COMPLETED;
  SendQueue& queue = send_[at(e->port, e->vc)];
  if (queue.request.packet != nullptr) {
    refuse(packet, tlm::TLM_GENERIC_ERROR_RESPONSE,
           fmt::format(
               "BEGIN_REQ: found a request open on port {}, VC {}; allowed: the next one after "
               "its END_REQ",
               e->port, kVcTitles[e->vc]));
    return tlm::TLM_COMPLETED;
  }
  if (packet.has_mm()) packet.acquire();
  if (static_cast<int>(queue.packets.size()) >= shape_.queue_packets) {
    queue.request = queued(packet, *e, nullptr);
    return tlm::TLM_ACCEPTED;
  }
  enqueue(e->port, e->vc, queued(packet, *e, nullptr));
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

void Nic::tx_blocking(Packet& packet, sc_core::sc_time& delay) {
  const PacketExtension* e = check(packet);
  if (e == nullptr) return;
  const auto caller = sc_core::sc_get_current_process_handle().proc_kind();
  if (caller != sc_core::SC_THREAD_PROC_ && caller != sc_core::SC_CTHREAD_PROC_) {
    refuse(packet, tlm::TLM_GENERIC_ERROR_RESPONSE,
           "b_transport: found a call from outside an SC_THREAD; allowed there: nb_transport_fw");
    return;
  }
  if (delay != sc_core::SC_ZERO_TIME) sc_core::wait(delay);
  delay = sc_core::SC_ZERO_TIME;
  SendQueue& queue = send_[at(e->port, e->vc)];
  ++blocked_users_;
  while (static_cast<int>(queue.packets.size()) >= shape_.queue_packets) sc_core::wait(progress_);
  bool left = false;
  if (packet.has_mm()) packet.acquire();
  enqueue(e->port, e->vc, queued(packet, *e, &left));
  while (!left) sc_core::wait(progress_);
  --blocked_users_;
}

Nic::Queued Nic::queued(Packet& packet, const PacketExtension& e, bool* left) const {
  Queued entry{.packet = &packet, .flits = e.flits, .lanes = lanes_of(packet), .left = left};
  pack_header({.tag = packet_tag(e.stream, e.index, e.bytes % kFlitBytes != 0),
               .dst = e.destination,
               .src = shape_.address_of(e.port),
               .phase = e.phase,
               .vc = e.vc,
               .seq = e.seq,
               .head = true,
               .tail = e.flits == 1},
              entry.header.data());
  return entry;
}

void Nic::enqueue(int port, int vc, const Queued& entry) {
  RingQueue<Queued>& packets = send_[at(port, vc)].packets;
  packets.push(entry);
  if (packets.size() == 1) begin_packet(port, vc);
  queued_[vc] |= 1U << port;
  wake();
}

void Nic::begin_packet(int port, int vc) {
  const Queued& entry = send_[at(port, vc)].packets.front();
  Sending& head = sending_[at(port, vc)];
  head.header = entry.header;
  head.flits_left = entry.flits;
  head.lanes = entry.lanes;
}

void Nic::launch(int port, int vc, SwitchPins& pins) {
  Sending& head = sending_[at(port, vc)];
  std::uint32_t* words = &pins.out_flit[port * words_];
  std::memcpy(words, head.header.data(), sizeof head.header);
  words[words_ - 1] = 0;  // an odd number of lanes leaves half of the last word free
  copy_lanes(words + kHeaderWords, head.lanes, shape_.lanes);
  pins.out_valid |= 1U << port;
  if (--head.credits == 0) credited_[vc] &= ~(1U << port);
  if (--head.flits_left == 0) {
    inside_[vc] &= ~(1U << port);
    finish_packet(port, vc);
    return;
  }
  if (kPhaseField.of(words) != kPhaseOnline) inside_[vc] |= 1U << port;
  head.lanes += shape_.lanes;
  head.header[2] &= ~kHeadBit;
  if (head.flits_left == 1) head.header[2] |= kTailBit;
}

void Nic::finish_packet(int port, int vc) {
  SendQueue& queue = send_[at(port, vc)];
  const Queued done = queue.packets.pop();
  if (queue.packets.empty()) {
    queued_[vc] &= ~(1U << port);
  } else {
    begin_packet(port, vc);
  }
  done.packet->set_response_status(tlm::TLM_OK_RESPONSE);
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay;
  if (done.left != nullptr) {
    *done.left = true;
  } else {
    tx->nb_transport_bw(*done.packet, phase, delay);
  }
  if (done.packet->has_mm()) done.packet->release();
  if (blocked_users_ > 0) progress_.notify(sc_core::SC_ZERO_TIME);
  if (queue.request.packet != nullptr) {
    const Queued next = queue.request;
    queue.request = {};
    enqueue(port, vc, next);
    phase = tlm::END_REQ;
    delay = sc_core::SC_ZERO_TIME;
    tx->nb_transport_bw(*next.packet, phase, delay);
  }
}

// ---- packets received

void Nic::take_in(int port, const std::uint32_t* flit, SwitchPins& pins) {
  const int vc = vc_of(flit);
  if ((held_up_[vc] >> port & 1U) != 0) {
    buffer(port, vc, flit);
  } else {
    consume(port, vc, flit);
    pins.in_credit[vc] |= 1U << port;
  }
}

void Nic::buffer(int port, int vc, const std::uint32_t* flit) {
  ReceiveQueue& queue = receive_[at(port, vc)];
  if (queue.buffered == shape_.receive_flits) {
    fail(port, vc, "a flit arrived at a full receive buffer");
  }
  queue.buffer.resize(static_cast<std::size_t>(shape_.receive_flits * words_));
  const int slot = (queue.first + queue.buffered++) % shape_.receive_flits;
  std::memcpy(&queue.buffer[slot * words_], flit, static_cast<std::size_t>(words_) * 4);
  update_backlog(port, vc);
}

void Nic::drain(int port, SwitchPins& pins) {
  for (const int vc : shape_.vc_order) {
    if ((backlog_[vc] >> port & 1U) == 0) continue;
    ReceiveQueue& queue = receive_[at(port, vc)];
    const int slot = queue.first;
    queue.first = (slot + 1) % shape_.receive_flits;
    --queue.buffered;
    consume(port, vc, &queue.buffer[slot * words_]);
    pins.in_credit[vc] |= 1U << port;
    update_backlog(port, vc);
    break;
  }
}

void Nic::update_backlog(int port, int vc) {
  const ReceiveQueue& queue = receive_[at(port, vc)];
  const std::uint32_t bit = 1U << port;
  const auto set = [bit](std::uint32_t& mask, bool on) { mask = on ? mask | bit : mask & ~bit; };
  set(held_up_[vc], queue.buffered > 0 || queue.delivering != nullptr);
  set(backlog_[vc], queue.can_drain());
  wake();
}

void Nic::fail(int port, int vc, const std::string& what) const {
  throw RunFailed(
      fmt::format("{} port {} VC {}: {}", sc_core::sc_object::name(), port, kVcTitles[vc], what));
}

void Nic::consume(int port, int vc, const std::uint32_t* flit) {
  Reassembly* open = &current_[at(port, vc)];
  if (!continues(*open, flit)) open = &reassembly(port, flit);
  copy_lanes(open->lanes + open->flits * shape_.lanes, flit + kHeaderWords, shape_.lanes);
  ++open->flits;
  if ((flit[2] & kTailBit) != 0) complete(port, flit, *open);
}

void Nic::complete(int port, const std::uint32_t* last, Reassembly& open) {
  const FlitHeader tail = unpack_header(last);
  const Reassembly whole = open;
  std::vector<Reassembly>& others = receive_[at(port, tail.vc)].others;
  if (others.empty()) {
    open.packet = nullptr;  // `open` is the current one
  } else {
    open = others.back();
    others.pop_back();
  }
  deliver(port, tail, whole);
}

// The normal case: the next flit of an open packet.
bool Nic::continues(const Reassembly& open, const std::uint32_t* flit) {
  return open.packet != nullptr && (flit[2] & kHeadBit) == 0 && flit[0] == open.tag &&
         kSrcField.of(flit) == open.source && open.flits < kPacketFlits;
}

// The open packet that a flit belongs to; a head opens it.
Nic::Reassembly& Nic::reassembly(int port, const std::uint32_t* flit) {
  const FlitHeader h = unpack_header(flit);
  const auto refuse = [&](const std::string& what) {
    fail(port, h.vc, fmt::format("packet from address {} {}", h.src, what));
  };
  Reassembly* found = &current_[at(port, h.vc)];
  Reassembly* free = found->packet == nullptr ? found : nullptr;
  if (free != nullptr || found->source != h.src) {
    std::vector<Reassembly>& others = receive_[at(port, h.vc)].others;
    const auto other = std::ranges::find(others, h.src, &Reassembly::source);
    found = other == others.end() ? nullptr : &*other;
    if (h.head && found == nullptr && free == nullptr) free = &others.emplace_back();
  }
  if (h.head) {
    if (found != nullptr) refuse("begins inside another one");
    PooledPacket& packet = pool_.allocate(kPacketFlits);
    *free = {&packet, lanes_of(packet), h.tag, 0, h.src};
    return *free;
  }
  if (found == nullptr) refuse("has no head flit");
  if (found->tag != h.tag) refuse("holds a flit of another packet");
  if (found->flits == kPacketFlits) refuse(fmt::format("has more than {} flits", kPacketFlits));
  return *found;
}

void Nic::deliver(int port, const FlitHeader& tail, const Reassembly& whole) {
  PooledPacket& packet = *whole.packet;
  PacketExtension& e = packet.extension;
  e.source = tail.src;
  e.destination = tail.dst;
  e.stream = tail.tag >> kStreamShift;
  e.index = tail.tag & kIndexMask;
  e.phase = tail.phase;
  e.vc = tail.vc;
  e.port = static_cast<std::uint8_t>(port);
  e.seq = tail.seq;
  e.flits = whole.flits;
  e.bytes = static_cast<std::uint64_t>(e.flits) * kFlitBytes;
  packet.set_address(e.destination);
  packet.set_data_length(static_cast<unsigned>(e.flits * shape_.lanes * 2));
  if (rx.size() == 0) {
    throw RunFailed(
        fmt::format("{}: a packet from address {} arrived, but no module is bound to rx",
                    sc_core::sc_object::name(), e.source));
  }
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay;
  receive_[at(port, tail.vc)].delivering = &packet;
  const tlm::tlm_sync_enum answer = rx->nb_transport_fw(packet, phase, delay);
  if (answer == tlm::TLM_COMPLETED) {
    receive_[at(port, tail.vc)].delivering = nullptr;
    note_error(packet);
    packet.release();
    return;
  }
  update_backlog(port, tail.vc);
  if (answer == tlm::TLM_UPDATED) rx_answer(packet, phase, delay);
}

void Nic::note_error(Packet& packet) {
  if (packet.get_response_status() >= tlm::TLM_INCOMPLETE_RESPONSE) return;
  const PacketExtension& e = extension(packet);
  failure_ = fmt::format("{} port {} VC {}: its module answered the packet from address {} with {}",
                         sc_core::sc_object::basename(), e.port, kVcTitles[e.vc], e.source,
                         packet.get_response_string());
  wake();
}

tlm::tlm_sync_enum Nic::rx_answer(Packet& packet, tlm::tlm_phase& phase, sc_core::sc_time&) {
  const PacketExtension& e = extension(packet);
  ReceiveQueue& queue = receive_[at(e.port, e.vc)];
  if (queue.delivering == &packet) queue.delivering = nullptr;
  update_backlog(e.port, e.vc);
  if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
  note_error(packet);
  packet.release();
  return tlm::TLM_COMPLETED;
}

// ---- state digest

bool Nic::add_state(StateDigest& digest) const {
  if (blocked_users_ != 0 || !failure_.empty()) return false;
  for (const auto* masks : {&queued_, &credited_, &inside_, &held_up_, &backlog_}) {
    digest.add_all(*masks);
  }
  const auto add_open = [&](const Reassembly& open) {
    digest.add(open.packet != nullptr ? 1 : 0);
    if (open.packet == nullptr) return;
    digest.add(open.tag & ~kIndexMask);
    digest.add(std::uint64_t{open.source} << 32 | static_cast<std::uint32_t>(open.flits));
  };
  for (std::size_t i = 0; i < send_.size(); ++i) {
    const SendQueue& out = send_[i];
    digest.add(static_cast<std::uint32_t>(sending_[i].credits));
    digest.add(out.packets.size() << 1 | (out.request.packet != nullptr ? 1 : 0));
    for (std::size_t k = 0; k < out.packets.size(); ++k) {
      digest.add_flit(out.packets.at(k).header.data());
      digest.add(
          static_cast<std::uint32_t>(k == 0 ? sending_[i].flits_left : out.packets.at(k).flits));
    }
    if (out.request.packet != nullptr) {
      digest.add_flit(out.request.header.data());
      digest.add(static_cast<std::uint32_t>(out.request.flits));
    }
    add_open(current_[i]);
    const ReceiveQueue& in = receive_[i];
    digest.add(in.others.size());
    for (const Reassembly& open : in.others) add_open(open);
    digest.add(static_cast<std::uint64_t>(in.buffered) << 1 | (in.delivering != nullptr ? 1 : 0));
    for (int k = 0; k < in.buffered; ++k) {
      const int slot = (in.first + k) % shape_.receive_flits;
      digest.add_flit(&in.buffer[static_cast<std::size_t>(slot * words_)]);
    }
  }
  return true;
}

}  // namespace fredsim
