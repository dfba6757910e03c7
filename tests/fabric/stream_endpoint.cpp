// SPDX-License-Identifier: Apache-2.0
#include "stream_endpoint.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/random.h"

namespace fredsim {
namespace {

std::uint16_t pattern(std::uint16_t source, std::uint32_t stream, std::uint32_t index, int lane) {
  const std::uint64_t key = std::uint64_t{source} << 48 | std::uint64_t{stream} << 34 |
                            std::uint64_t{index} << 16 | static_cast<std::uint64_t>(lane);
  return static_cast<std::uint16_t>(mix64(key));
}

}  // namespace

StreamEndpoint::StreamEndpoint(sc_core::sc_module_name name, std::uint16_t address, int lanes,
                               int packet_flits)
    : sc_core::sc_module(name),
      address_(address),
      lanes_(lanes),
      packet_flits_(packet_flits),
      pool_(lanes) {
  tx.register_nb_transport_bw(this, &StreamEndpoint::sent);
  rx.register_nb_transport_fw(this, &StreamEndpoint::receive);
}

void StreamEndpoint::send(std::uint64_t bytes, std::uint16_t destination, int port, int vc) {
  sc_assert(bytes > 0);
  transfers_.push(
      {bytes, destination, static_cast<std::uint8_t>(port), static_cast<std::uint8_t>(vc)});
  pump();
}

void StreamEndpoint::reset() {
  while (!transfers_.empty()) transfers_.pop();
  stream_ = index_ = 0;
  blocked_ = false;
  sent_bytes_ = received_flits_ = 0;
  expected_.clear();
  failure_.clear();
  pool_.reclaim();
}

Packet& StreamEndpoint::next_packet(Transfer& transfer) {
  const std::uint64_t bytes = std::min<std::uint64_t>(
      transfer.bytes, static_cast<std::uint64_t>(packet_flits_) * kFlitBytes);
  const int flits = static_cast<int>((bytes + kFlitBytes - 1) / kFlitBytes);
  Packet& packet = pool_.allocate(flits);
  PacketExtension& e = extension(packet);
  e.source = address_;
  e.destination = transfer.destination;
  e.stream = stream_;
  e.index = index_;
  e.phase = kPhaseOnline;
  e.vc = transfer.vc;
  e.port = transfer.port;
  e.seq = static_cast<std::uint8_t>(index_ & 63U);
  e.bytes = bytes;
  packet.set_address(e.destination);
  for (int l = 0; l < flits * lanes_; ++l) {
    lanes_of(packet)[l] = pattern(address_, stream_, index_, l);
  }
  index_ = (index_ + 1) & kIndexMask;
  transfer.bytes -= bytes;
  return packet;
}

void StreamEndpoint::pump() {
  while (!blocked_ && !transfers_.empty()) {
    Packet& packet = next_packet(transfers_.front());
    if (transfers_.front().bytes == 0) {
      transfers_.pop();
      stream_ = (stream_ + 1) % kMaxStreams;
      index_ = 0;
    }
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay;
    const tlm::tlm_sync_enum answer = tx->nb_transport_fw(packet, phase, delay);
    blocked_ = answer == tlm::TLM_ACCEPTED;
    if (answer == tlm::TLM_COMPLETED && failure_.empty()) {
      failure_ = fmt::format("{}: the NIC refused a packet: {}", name(), refusal(packet));
      return;
    }
  }
}

tlm::tlm_sync_enum StreamEndpoint::sent(Packet& packet, tlm::tlm_phase& phase, sc_core::sc_time&) {
  if (phase == tlm::END_REQ) {
    blocked_ = false;
    pump();
    return tlm::TLM_ACCEPTED;
  }
  sent_bytes_ += extension(packet).bytes;
  packet.release();
  return tlm::TLM_COMPLETED;
}

tlm::tlm_sync_enum StreamEndpoint::receive(Packet& packet, tlm::tlm_phase&, sc_core::sc_time&) {
  packet.set_response_status(tlm::TLM_OK_RESPONSE);
  const PacketExtension& e = extension(packet);
  received_flits_ += static_cast<std::uint64_t>(e.flits);
  std::uint32_t& due = expected_[{e.source, e.stream}];
  if (e.index != due && failure_.empty()) {
    failure_ = fmt::format("{}: packet {} of stream {} from address {} arrived, {} was due", name(),
                           e.index, e.stream, e.source, due);
  }
  due = (e.index + 1) & kIndexMask;
  for (int l = 0; l < e.flits * lanes_; ++l) {
    if (lanes_of(packet)[l] == pattern(e.source, e.stream, e.index, l)) continue;
    if (failure_.empty()) {
      failure_ = fmt::format("{}: payload wrong in packet {} of stream {} from address {}, lane {}",
                             name(), e.index, e.stream, e.source, l);
    }
    break;
  }
  return tlm::TLM_COMPLETED;
}

}  // namespace fredsim
