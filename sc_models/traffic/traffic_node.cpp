// SPDX-License-Identifier: Apache-2.0
#include "traffic/traffic_node.h"

#include <fmt/format.h>

#include <bit>

#include "base/error.h"

namespace fredsim {
namespace {

constexpr int kWords = flit_words(1);

// Lane value of a packet's flit.
std::uint32_t payload(std::uint32_t tag, std::uint32_t destination, int flit) {
  return static_cast<std::uint16_t>(
      mix64(std::uint64_t{tag} << 32 | destination << 4 | static_cast<std::uint32_t>(flit)));
}

}  // namespace

TrafficNode::TrafficNode(std::string name, int ports, std::uint16_t address, int packet_flits,
                         const std::vector<std::uint16_t>& addresses, TrafficMeter& meter)
    : name_(std::move(name)),
      address_(address),
      packet_flits_(packet_flits),
      addresses_(addresses),
      meter_(meter),
      ports_(static_cast<std::size_t>(ports)) {
  pack_header({.src = address, .phase = kPhaseOnline, .vc = kDp, .head = true}, header_.data());
}

void TrafficNode::start(const PacketSource& source, int rank) {
  source_ = source;
  rank_ = rank;
  meter_.calendar.add(source.creation(), rank);
}

std::uint64_t TrafficNode::created_in_window() const {
  if (!source_) return 0;
  std::uint64_t created = measured_;
  for (PacketSource waiting = *source_; waiting.creation() < meter_.window_end; waiting.take()) {
    if (waiting.creation() >= meter_.window_begin) ++created;
  }
  return created;
}

void TrafficNode::reset() {
  for (Port& port : ports_) port = {};
  source_.reset();
  measured_ = 0;
  credited_ = sending_ = receiving_ = 0;
  next_port_ = 0;
  due_ = false;
}

void TrafficNode::set_credits(int port, int vc, int flits) {
  if (vc != kDp) return;
  ports_[port].credits = flits;
  if (flits > 0) credited_ |= 1U << port;
}

void TrafficNode::step(SwitchPins& pins) {
  for (std::uint32_t left = pins.out_credit[kDp]; left != 0; left &= left - 1) {
    ++ports_[std::countr_zero(left)].credits;
  }
  credited_ |= pins.out_credit[kDp];
  for (std::uint32_t left = pins.in_valid; left != 0; left &= left - 1) {
    const int port = std::countr_zero(left);
    consume(port, &pins.in_flit[port * kWords]);
  }
  pins.in_credit = {};
  pins.in_credit[kDp] = pins.in_valid;

  while (may_start()) start_packet();
  pins.out_valid = sending_ & credited_ & pins.out_ready;
  for (std::uint32_t left = pins.out_valid; left != 0; left &= left - 1) {
    const int port = std::countr_zero(left);
    launch(port, &pins.out_flit[port * kWords]);
  }
}

void TrafficNode::start_packet() {
  const std::uint32_t free = free_ports();
  const std::uint32_t later = free >> next_port_ << next_port_;
  const int port = std::countr_zero(later != 0 ? later : free);
  next_port_ = port + 1 == std::ssize(ports_) ? 0 : port + 1;

  const std::uint64_t creation = source_->creation();
  if (creation >= meter_.window_begin && creation < meter_.window_end) ++measured_;
  static_assert(kDstField.word() == 1);
  ports_[port].header = header_;
  ports_[port].header[0] = static_cast<std::uint32_t>(creation);
  ports_[port].header[1] |= kDstField.placed(addresses_[source_->take()]);
  ports_[port].to_send = packet_flits_;
  sending_ |= 1U << port;
  due_ = source_->creation() <= meter_.now;
  if (!due_) meter_.calendar.add(source_->creation(), rank_);
}

void TrafficNode::launch(int port, std::uint32_t* flit) {
  Port& p = ports_[port];
  if (p.to_send == 1) p.header[2] |= kTailBit;
  std::copy(p.header.begin(), p.header.end(), flit);
  flit[kHeaderWords] = payload(kTagField.of(p.header.data()), kDstField.of(p.header.data()),
                               packet_flits_ - p.to_send);
  p.header[2] &= ~kHeadBit;
  ++meter_.flits_injected;
  if (--p.to_send == 0) sending_ &= ~(1U << port);
  if (--p.credits == 0) credited_ &= ~(1U << port);
}

void TrafficNode::consume(int port, const std::uint32_t* flit) {
  Port& p = ports_[port];
  const std::uint32_t tag = kTagField.of(flit);
  const bool head = (flit[2] & kHeadBit) != 0;
  const bool tail = (flit[2] & kTailBit) != 0;
  if (kDstField.of(flit) != address_) {
    fail(port, fmt::format("a flit for address {}", kDstField.of(flit)));
  }
  if (vc_of(flit) != kDp) fail(port, fmt::format("a flit on virtual channel {}", vc_of(flit)));
  if (head != (p.received == 0) || (!head && tag != p.received_tag) ||
      tail != (p.received + 1 == packet_flits_)) {
    fail(port, fmt::format("a packet that is not whole, after {} of its {} flits", p.received,
                           packet_flits_));
  }
  if ((flit[kHeaderWords] & 0xFFFFU) != payload(tag, address_, p.received)) {
    fail(port, "a flit with another payload than it was sent with", FailureCause::kPayload);
  }
  p.received_tag = tag;
  ++p.received;
  receiving_ |= 1U << port;
  ++meter_.flits_consumed;
  const std::uint64_t now = meter_.now;
  if (now >= meter_.window_begin && now < meter_.window_end) ++meter_.window_flits;
  if (!tail) return;
  p.received = 0;
  receiving_ &= ~(1U << port);
  const std::uint32_t latency = static_cast<std::uint32_t>(now) - tag;
  const std::uint64_t creation = now - latency;
  if (creation >= meter_.window_begin && creation < meter_.window_end) meter_.latency.add(latency);
}

void TrafficNode::describe_waiting(const std::vector<std::string>& peers,
                                   std::vector<std::string>& lines) const {
  for (std::uint32_t left = sending_; left != 0; left &= left - 1) {
    const int port = std::countr_zero(left);
    lines.push_back(fmt::format(
        "{} port {}: {} of {} flits of a packet still to send, {} credits "
        "from {}",
        name_, port, ports_[port].to_send, packet_flits_, ports_[port].credits, peers[port]));
  }
}

void TrafficNode::fail(int port, const std::string& what, FailureCause cause) const {
  throw RunFailed(fmt::format("cycle {}: {} port {} received {}", meter_.now, name_, port, what),
                  cause);
}

}  // namespace fredsim
