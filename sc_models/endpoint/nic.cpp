#include "endpoint/nic.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/error.h"

namespace fredsim {
namespace {

constexpr std::array<int, kNumVcs> kPriority = {kControl, kMp, kPp, kDp};
constexpr std::array<const char*, kNumVcs> kVcNames = {"MP", "PP", "DP", "control"};

// Makes a packet's header that of a flit after the first (head and tail bits: base/flit.h, word 2).
void set_body(std::uint32_t* header, bool tail) {
  header[2] = (header[2] & ~(3U << 16)) | std::uint32_t{tail} << 17;
}

}  // namespace

Nic::Nic(sc_core::sc_module_name name, const NicShape& shape)
    : sc_core::sc_module(name),
      shape_(shape),
      words_(flit_words(shape.lanes)),
      send_(static_cast<std::size_t>(shape.ports * kNumVcs)),
      receive_(static_cast<std::size_t>(shape.ports * kNumVcs)),
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
    if (q.request != nullptr && q.request->has_mm()) q.request->release();
    q.flits_left = 0;
    q.request = nullptr;
  }
  for (ReceiveQueue& q : receive_) {
    q.open.clear();
    q.first = q.buffered = 0;
    q.delivering = nullptr;
  }
  pool_.reclaim();
  sending_ = backlog_ = 0;
}

void Nic::set_credits(int port, int vc, int flits) { send_queue(port, vc).credits = flits; }

void Nic::step(SwitchPins& pins) {
  for (int vc = 0; vc < kNumVcs; ++vc) {
    for (std::uint32_t left = pins.out_credit[vc]; left != 0; left &= left - 1) {
      ++send_queue(std::countr_zero(left), vc).credits;
    }
  }
  pins.out_valid = 0;
  pins.in_credit = {};
  for (std::uint32_t left = sending_ & pins.out_ready; left != 0; left &= left - 1) {
    const int port = std::countr_zero(left);
    for (const int vc : kPriority) {
      SendQueue& queue = send_queue(port, vc);
      if (queue.credits == 0 || queue.packets.empty()) continue;
      launch(queue, port, pins);
      break;
    }
  }
  std::uint32_t busy = 0;
  for (std::uint32_t left = pins.in_valid; left != 0; left &= left - 1) {
    const int port = std::countr_zero(left);
    if (receive(port, &pins.in_flit[port * words_], pins)) busy |= 1U << port;
  }
  for (std::uint32_t left = backlog_ & ~busy; left != 0; left &= left - 1) {
    drain(std::countr_zero(left), pins);
  }
}

bool Nic::empty() const {
  return sending_ == 0 && std::ranges::all_of(receive_, [](const ReceiveQueue& q) {
           return q.open.empty() && q.buffered == 0 && q.delivering == nullptr;
         });
}

void Nic::describe_waiting(const std::vector<std::string>& peers,
                           std::vector<std::string>& lines) const {
  for (int port = 0; port < shape_.ports; ++port) {
    for (int vc = 0; vc < kNumVcs; ++vc) {
      const SendQueue& s = send_[port * kNumVcs + vc];
      if (!s.packets.empty()) {
        lines.push_back(fmt::format(
            "{} port {} VC {}: {} packets to send, {}", sc_core::sc_object::basename(), port,
            kVcNames[vc], s.packets.size(),
            s.credits == 0 ? "no credit from " + peers[port] : "ready, the link is not"));
      }
      const ReceiveQueue& r = receive_[port * kNumVcs + vc];
      for (const Reassembly& open : r.open) {
        lines.push_back(fmt::format("{} port {} VC {}: a packet from address {} is incomplete",
                                    sc_core::sc_object::basename(), port, kVcNames[vc],
                                    open.source));
      }
      if (r.delivering != nullptr) {
        lines.push_back(fmt::format(
            "{} port {} VC {}: the endpoint does not take a packet; {} flits wait behind it",
            sc_core::sc_object::basename(), port, kVcNames[vc], r.buffered));
      }
    }
  }
}

// -------------------------------------------------------------------------------------------
// sending

const PacketExtension* Nic::check(Packet& packet) const {
  const auto* e = packet.get_extension<PacketExtension>();
  if (e == nullptr || e->port >= shape_.ports || e->vc >= kNumVcs || e->flits < 1 ||
      e->flits > (e->vc == kControl ? 1 : kPacketFlits) || e->stream >= kMaxStreams) {
    packet.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    return nullptr;
  }
  if (packet.get_data_length() != static_cast<unsigned>(e->flits * shape_.lanes * 2)) {
    packet.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return nullptr;
  }
  return e;
}

tlm::tlm_sync_enum Nic::tx_transport(Packet& packet, tlm::tlm_phase& phase, sc_core::sc_time&) {
  if (phase == tlm::END_RESP) return tlm::TLM_COMPLETED;
  sc_assert(phase == tlm::BEGIN_REQ);
  const PacketExtension* e = check(packet);
  if (e == nullptr) return tlm::TLM_COMPLETED;
  SendQueue& queue = send_queue(e->port, e->vc);
  sc_assert(queue.request == nullptr);
  if (packet.has_mm()) packet.acquire();
  if (static_cast<int>(queue.packets.size()) >= shape_.queue_packets) {
    queue.request = &packet;
    return tlm::TLM_ACCEPTED;
  }
  enqueue(queue, e->port, {&packet, nullptr});
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

void Nic::tx_blocking(Packet& packet, sc_core::sc_time& delay) {
  const PacketExtension* e = check(packet);
  if (e == nullptr) return;
  if (delay != sc_core::SC_ZERO_TIME) sc_core::wait(delay);
  delay = sc_core::SC_ZERO_TIME;
  SendQueue& queue = send_queue(e->port, e->vc);
  ++blocked_users_;
  while (static_cast<int>(queue.packets.size()) >= shape_.queue_packets) sc_core::wait(progress_);
  bool left = false;
  if (packet.has_mm()) packet.acquire();
  enqueue(queue, e->port, {&packet, &left});
  while (!left) sc_core::wait(progress_);
  --blocked_users_;
}

void Nic::enqueue(SendQueue& queue, int port, Queued entry) {
  queue.packets.push(entry);
  if (queue.packets.size() == 1) begin_front(queue);
  sending_ |= 1U << port;
}

void Nic::begin_front(SendQueue& queue) {
  Packet& packet = *queue.packets.front().packet;
  const PacketExtension& e = extension(packet);
  queue.flits_left = e.flits;
  queue.lanes = lanes_of(packet);
  pack_header({.tag = packet_tag(e.stream, e.index),
               .dst = e.destination,
               .src = shape_.address,
               .phase = e.phase,
               .vc = e.vc,
               .seq = e.seq,
               .head = true,
               .tail = e.flits == 1},
              queue.header.data());
}

void Nic::launch(SendQueue& queue, int port, SwitchPins& pins) {
  std::uint32_t* words = &pins.out_flit[port * words_];
  std::copy(queue.header.begin(), queue.header.end(), words);
  words[words_ - 1] = 0;  // an odd number of lanes leaves half of the last word free
  copy_lanes(words + kHeaderWords, queue.lanes, shape_.lanes);
  --queue.credits;
  pins.out_valid |= 1U << port;
  if (--queue.flits_left == 0) {
    finish_front(queue, port);
    return;
  }
  queue.lanes += shape_.lanes;
  set_body(queue.header.data(), queue.flits_left == 1);
}

void Nic::finish_front(SendQueue& queue, int port) {
  const Queued done = queue.packets.pop();
  if (!queue.packets.empty()) begin_front(queue);
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
  if (queue.request != nullptr) {
    Packet& next = *queue.request;
    queue.request = nullptr;
    enqueue(queue, port, {&next, nullptr});
    phase = tlm::END_REQ;
    delay = sc_core::SC_ZERO_TIME;
    tx->nb_transport_bw(next, phase, delay);
  }
  const auto first = send_.begin() + port * kNumVcs;
  if (std::all_of(first, first + kNumVcs, [](const SendQueue& q) { return q.packets.empty(); })) {
    sending_ &= ~(1U << port);
  }
}

// -----------------------------------------------------------------------------------------
// receiving

bool Nic::receive(int port, const std::uint32_t* flit, SwitchPins& pins) {
  const int vc = unpack_header(flit).vc;
  ReceiveQueue& queue = receive_queue(port, vc);
  if (queue.delivering == nullptr && queue.buffered == 0) {
    consume(queue, port, flit);
    pins.in_credit[vc] |= 1U << port;
    return true;
  }
  if (queue.buffered == shape_.receive_flits) {
    throw RunFailed(fmt::format("{} port {} VC {}: a flit arrived at a full receive buffer",
                                sc_core::sc_object::name(), port, kVcNames[vc]));
  }
  queue.buffer.resize(static_cast<std::size_t>(shape_.receive_flits * words_));
  const int slot = (queue.first + queue.buffered++) % shape_.receive_flits;
  std::memcpy(&queue.buffer[slot * words_], flit, static_cast<std::size_t>(words_) * 4);
  update_backlog(port);
  return false;
}

void Nic::drain(int port, SwitchPins& pins) {
  for (const int vc : kPriority) {
    ReceiveQueue& queue = receive_queue(port, vc);
    if (!queue.can_drain()) continue;
    const int slot = queue.first;
    queue.first = (slot + 1) % shape_.receive_flits;
    --queue.buffered;
    consume(queue, port, &queue.buffer[slot * words_]);
    pins.in_credit[vc] |= 1U << port;
    break;
  }
  update_backlog(port);
}

void Nic::update_backlog(int port) {
  const auto first = receive_.begin() + port * kNumVcs;
  const bool any =
      std::any_of(first, first + kNumVcs, [](const ReceiveQueue& q) { return q.can_drain(); });
  backlog_ = any ? backlog_ | 1U << port : backlog_ & ~(1U << port);
}

void Nic::consume(ReceiveQueue& queue, int port, const std::uint32_t* flit) {
  const FlitHeader h = unpack_header(flit);
  Reassembly& open = reassembly(queue, port, h);
  copy_lanes(open.lanes + open.flits * shape_.lanes, flit + kHeaderWords, shape_.lanes);
  ++open.flits;
  if (!h.tail) return;
  const Reassembly whole = open;
  open = queue.open.back();
  queue.open.pop_back();
  deliver(queue, port, h, whole);
}

// The open packet that a flit belongs to; a head opens it.
Nic::Reassembly& Nic::reassembly(ReceiveQueue& queue, int port, const FlitHeader& h) {
  const auto fail = [&](const std::string& what) {
    throw RunFailed(fmt::format("{} port {} VC {}: packet from address {} {}",
                                sc_core::sc_object::name(), port, kVcNames[h.vc], h.src, what));
  };
  const auto found = std::ranges::find(queue.open, h.src, &Reassembly::source);
  if (h.head) {
    if (found != queue.open.end()) fail("begins inside another one");
    Packet& packet = pool_.allocate(kPacketFlits);
    queue.open.push_back({h.src, h.tag, 0, lanes_of(packet), &packet});
    return queue.open.back();
  }
  if (found == queue.open.end()) fail("has no head flit");
  if (found->tag != h.tag) fail("holds a flit of another packet");
  if (found->flits == kPacketFlits) fail(fmt::format("has more than {} flits", kPacketFlits));
  return *found;
}

void Nic::deliver(ReceiveQueue& queue, int port, const FlitHeader& tail, const Reassembly& whole) {
  Packet& packet = *whole.packet;
  PacketExtension& e = extension(packet);
  e.source = tail.src;
  e.destination = tail.dst;
  e.stream = tail.tag >> kIndexBits;
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
  queue.delivering = &packet;
  const tlm::tlm_sync_enum answer = rx->nb_transport_fw(packet, phase, delay);
  if (answer == tlm::TLM_COMPLETED) {
    queue.delivering = nullptr;
    packet.release();
  } else if (answer == tlm::TLM_UPDATED) {
    rx_answer(packet, phase, delay);
  }
}

tlm::tlm_sync_enum Nic::rx_answer(Packet& packet, tlm::tlm_phase& phase, sc_core::sc_time&) {
  const PacketExtension& e = extension(packet);
  ReceiveQueue& queue = receive_queue(e.port, e.vc);
  if (queue.delivering == &packet) queue.delivering = nullptr;
  update_backlog(e.port);
  if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
  packet.release();
  return tlm::TLM_COMPLETED;
}

}  // namespace fredsim
