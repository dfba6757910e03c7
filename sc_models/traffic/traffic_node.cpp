// SPDX-License-Identifier: Apache-2.0
#include "traffic/traffic_node.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/error.h"

namespace fredsim {
namespace {

constexpr int kWords = flit_words(1);

// Fields of a packet's sequence number: its length, and whether it writes.
constexpr std::uint32_t kWriteBit = kPacketFlits;
static_assert(std::has_single_bit(static_cast<unsigned>(kPacketFlits)) &&
              2 * kPacketFlits <= 1 << kSeqField.width);
std::uint32_t seq_of(const PacketKind& kind) {
  return static_cast<std::uint32_t>(kind.flits - 1) | (kind.is_write ? kWriteBit : 0);
}
int flits_of_seq(std::uint32_t seq) { return static_cast<int>(seq % kPacketFlits) + 1; }

// Lane value of a packet's flit.
std::uint32_t payload(std::uint32_t tag, std::uint32_t destination, int flit) {
  return static_cast<std::uint16_t>(
      mix64(std::uint64_t{tag} << 32 | destination << 4 | static_cast<std::uint32_t>(flit)));
}

}  // namespace

void NodeAddresses::add(std::uint16_t address) {
  if (rank_of.size() <= address) rank_of.resize(address + std::size_t{1}, -1);
  rank_of[address] = static_cast<int>(of_rank.size());
  of_rank.push_back(address);
}

TrafficNode::TrafficNode(std::string name, int ports, std::uint16_t address,
                         const NodeAddresses& addresses, const PacketKinds& kinds,
                         TrafficMeter& meter)
    : name_(std::move(name)),
      address_(address),
      classes_(kinds.has_replies() ? kClasses : 1),
      addresses_(addresses),
      kinds_(kinds),
      meter_(meter),
      ports_(static_cast<std::size_t>(ports)) {
  for (int c = 0; c < kClasses; ++c)
    pack_header({.src = address,
                 .phase = kPhaseOnline,
                 .vc = static_cast<std::uint8_t>(kVcOfClass[c]),
                 .head = true},
                headers_[c].data());
}

void TrafficNode::start(const PacketSource& source, int rank) {
  source_ = source;
  rank_ = rank;
  meter_.calendar.add(source.creation(), rank);
}

CreatedPackets with_waiting(CreatedPackets injected, PacketSource waiting,
                            const TrafficMeter& meter) {
  while (waiting.creation() < meter.window_end) {
    const bool counts = waiting.creation() >= meter.window_begin;
    const PacketKind kind = waiting.take().kind;
    if (!counts) continue;
    ++injected.packets;
    injected.flits += static_cast<std::uint64_t>(kind.flits + kind.reply_flits);
  }
  return injected;
}

CreatedPackets TrafficNode::created_in_window() const {
  return source_ ? with_waiting(measured_, *source_, meter_) : CreatedPackets{};
}

void TrafficNode::reset() {
  for (Port& port : ports_) port = {};
  source_.reset();
  for (auto& queue : waiting_)
    while (!queue.empty()) queue.pop();
  measured_ = {};
  credited_ = sending_ = {};
  receiving_ = 0;
  next_port_ = 0;
  due_ = false;
}

void TrafficNode::set_credits(int port, int vc, int flits) {
  const auto c = std::ranges::find(kVcOfClass, vc) - kVcOfClass.begin();
  if (c == kClasses) return;
  ports_[port].out[c].credits = flits;
  if (flits > 0) credited_[c] |= 1U << port;
}

bool TrafficNode::takes_credit(std::uint32_t port, std::uint32_t vc) {
  if ((sending_[kForward] | sending_[kReply]) != 0 || has_packet(kForward) || has_packet(kReply))
    return false;
  const Class c = static_cast<int>(vc) == kVcOfClass[kReply] ? kReply : kForward;
  ++ports_[port].out[c].credits;
  credited_[c] |= 1U << port;
  return true;
}

std::size_t TrafficNode::next_destination(Class c) const {
  if (!waiting_[c].empty()) return static_cast<std::size_t>(waiting_[c].front().destination);
  PacketSource ahead = *source_;
  return static_cast<std::size_t>(ahead.take().destination);
}

inline TrafficNode::WaitingPacket TrafficNode::take_packet(Class c) {
  if (!waiting_[c].empty()) return waiting_[c].pop();
  const std::uint64_t creation = source_->creation();
  const auto [destination, kind] = source_->take();
  if (creation >= meter_.window_begin && creation < meter_.window_end) {
    ++measured_.packets;
    measured_.flits += static_cast<std::uint64_t>(kind.flits + kind.reply_flits);
  }
  due_ = source_->creation() <= meter_.now;
  if (!due_) meter_.calendar.add(source_->creation(), rank_);
  return {.tag = static_cast<std::uint32_t>(creation), .destination = destination, .kind = kind};
}

inline void TrafficNode::start_packet(Class c) {
  const std::uint32_t free = free_ports(c);
  const std::uint32_t later = free >> next_port_ << next_port_;
  const int port = std::countr_zero(later != 0 ? later : free);
  next_port_ = port + 1 == std::ssize(ports_) ? 0 : port + 1;

  const WaitingPacket packet = take_packet(c);
  static_assert(kTagField.word() == 0 && kDstField.word() == 1 && kSeqField.word() == 2);
  Sending& out = ports_[port].out[c];
  out.header = headers_[c];
  out.header[0] = packet.tag;
  out.header[1] |= kDstField.placed(addresses_.of_rank[packet.destination]);
  out.header[2] |= kSeqField.placed(seq_of(packet.kind));
  out.to_send = packet.kind.flits;
  sending_[c] |= 1U << port;
}

inline void TrafficNode::launch(int port, Class c, std::uint32_t* flit) {
  Sending& out = ports_[port].out[c];
  if (out.to_send == 1) out.header[2] |= kTailBit;
  std::copy(out.header.begin(), out.header.end(), flit);
  flit[kHeaderWords] = payload(kTagField.of(flit), kDstField.of(flit),
                               flits_of_seq(kSeqField.of(flit)) - out.to_send);
  out.header[2] &= ~kHeadBit;
  ++meter_.flits_injected;
  if (--out.to_send == 0) sending_[c] &= ~(1U << port);
  if (--out.credits == 0) credited_[c] &= ~(1U << port);
}

template <int kUsed>
TrafficNode::Class TrafficNode::consume(int port, const std::uint32_t* flit) {
  const std::uint32_t tag = kTagField.of(flit);
  const std::uint32_t seq = kSeqField.of(flit);
  const bool head = (flit[2] & kHeadBit) != 0;
  const bool tail = (flit[2] & kTailBit) != 0;
  if (kDstField.of(flit) != address_) {
    fail(port, fmt::format("a flit for address {}", kDstField.of(flit)));
  }
  const Class c = kUsed > 1 && vc_of(flit) == kVcOfClass[kReply] ? kReply : kForward;
  if (vc_of(flit) != kVcOfClass[c])
    fail(port, fmt::format("a flit on virtual channel {}", vc_of(flit)));
  Receiving& in = ports_[port].in[c];
  const int flits = flits_of_seq(seq);
  if (head != (in.received == 0) || (!head && (tag != in.tag || seq != in.seq)) ||
      tail != (in.received + 1 == flits)) {
    fail(port,
         fmt::format("a packet that is not whole, after {} of its {} flits", in.received, flits));
  }
  if ((flit[kHeaderWords] & 0xFFFFU) != payload(tag, address_, in.received)) {
    fail(port, "a flit with another payload than it was sent with", FailureCause::kPayload);
  }
  in.tag = tag;
  in.seq = seq;
  if (in.received++ == 0) ++receiving_;
  ++meter_.flits_consumed;
  const std::uint64_t now = meter_.now;
  if (now >= meter_.window_begin && now < meter_.window_end) ++meter_.window_flits;
  if (!tail) return c;
  in.received = 0;
  --receiving_;
  take(c, flit);
  return c;
}

inline void TrafficNode::take(Class c, const std::uint32_t* tail) {
  const std::uint32_t tag = kTagField.of(tail);
  if (meter_.feeder != nullptr) {
    meter_.feeder->arrived(tag);
    return;
  }
  const std::uint32_t latency = static_cast<std::uint32_t>(meter_.now) - tag;
  const std::uint64_t creation = meter_.now - latency;
  const bool counts = creation >= meter_.window_begin && creation < meter_.window_end;
  if (c == kForward && kinds_.has_replies()) {
    if (counts) meter_.request_latency.add(latency);
    const PacketKind request = kinds_.request((kSeqField.of(tail) & kWriteBit) != 0);
    waiting_[kReply].push({.tag = tag,
                           .destination = addresses_.rank_of[kSrcField.of(tail)],
                           .kind = {.flits = request.reply_flits, .is_write = request.is_write}});
    return;
  }
  if (counts) meter_.latency.add(latency);
}

void TrafficNode::step(SwitchPins& pins) {
  if (classes_ == 1) {
    step_classes<1>(pins);
  } else {
    step_classes<kClasses>(pins);
  }
}

template <int kUsed>
void TrafficNode::step_classes(SwitchPins& pins) {
  for (int c = 0; c < kUsed; ++c) {
    const std::uint32_t returned = pins.out_credit[kVcOfClass[c]];
    for (std::uint32_t left = returned; left != 0; left &= left - 1)
      ++ports_[std::countr_zero(left)].out[c].credits;
    credited_[c] |= returned;
  }
  std::uint32_t replies_in = 0;
  for (std::uint32_t left = pins.in_valid; left != 0; left &= left - 1) {
    const int port = std::countr_zero(left);
    if (consume<kUsed>(port, &pins.in_flit[port * kWords]) == kReply) replies_in |= 1U << port;
  }
  pins.in_credit = {};
  pins.in_credit[kVcOfClass[kForward]] = pins.in_valid & ~replies_in;
  pins.in_credit[kVcOfClass[kReply]] = replies_in;

  if constexpr (kUsed > 1)
    while (may_start(kReply)) start_packet(kReply);
  while (may_start(kForward)) start_packet(kForward);
  const std::uint32_t replies =
      kUsed > 1 ? sending_[kReply] & credited_[kReply] & pins.out_ready : 0;
  pins.out_valid = (sending_[kForward] & credited_[kForward] & pins.out_ready) | replies;
  for (std::uint32_t left = pins.out_valid; left != 0; left &= left - 1) {
    const int port = std::countr_zero(left);
    launch(port, (replies >> port & 1U) != 0 ? kReply : kForward, &pins.out_flit[port * kWords]);
  }
}

void TrafficNode::describe_waiting(const std::vector<std::string>& peers,
                                   std::vector<std::string>& lines) const {
  for (int c = 0; c < kClasses; ++c) {
    for (std::uint32_t left = sending_[c]; left != 0; left &= left - 1) {
      const int port = std::countr_zero(left);
      const Sending& out = ports_[port].out[c];
      lines.push_back(
          fmt::format("{} port {}: {} of {} flits of a {} still to send, {} credits from {}", name_,
                      port, out.to_send, flits_of_seq(kSeqField.of(out.header.data())),
                      c == kReply ? "reply" : "packet", out.credits, peers[port]));
    }
  }
}

void TrafficNode::fail(int port, const std::string& what, FailureCause cause) const {
  throw RunFailed(fmt::format("cycle {}: {} port {} received {}", meter_.now, name_, port, what),
                  cause);
}

}  // namespace fredsim
