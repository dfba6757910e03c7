// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "ethernet/detail/packet_network_state.h"

namespace fredsim {

void PacketNetworkState::send_next(std::uint32_t link) {
  EthernetPort& port = ports_[link];
  if (port.free_at > now_) {
    if (!port.has_free_event) {
      port.has_free_event = true;
      events_.push(port.free_at, EthernetEvent::kPortFree, link);
    }
    return;
  }
  const int from = graph_.links[link].from;
  std::uint32_t number = kNoPacket;
  if (!port.pauses.empty()) {
    number = port.pauses.pop(pool_);
  } else if (const unsigned may = port.waiting & ~port.paused & 0xFFU; may != 0) {
    number = port.dequeue(pool_, std::bit_width(may) - 1);
    if (!graph_.is_host(from)) leave_switch(link, number);
  } else if (graph_.is_host(from)) {
    number = next_data(static_cast<std::uint32_t>(from), port);
  }
  if (number != kNoPacket) depart(link, number);
}

void PacketNetworkState::depart(std::uint32_t link, std::uint32_t number) {
  EthernetPort& port = ports_[link];
  const EthernetLink& wire = graph_.links[link];
  EthernetPacket& packet = pool_[number];
  const Picoseconds time = wire.time_of(packet.bytes);
  port.free_at = now_ + time;
  ++port.counts.packets;
  port.counts.bytes += packet.bytes;
  if (packet.kind == EthernetPacketKind::kData) port.counts.data_bytes += packet.payload;
  packet.arrives = port.free_at + wire.latency;
  const bool is_first = port.in_flight.empty();
  port.in_flight.push(pool_, number);
  if (is_first) events_.push(packet.arrives, EthernetEvent::kArrival, link);
  const bool has_more = !port.pauses.empty() || port.waiting != 0 ||
                        (graph_.is_host(wire.from) && !ready_[wire.from].empty());
  if (has_more && !port.has_free_event) {
    port.has_free_event = true;
    events_.push(port.free_at, EthernetEvent::kPortFree, link);
  }
}

void PacketNetworkState::arrive(std::uint32_t link) {
  EthernetPort& port = ports_[link];
  const std::uint32_t number = port.in_flight.pop(pool_);
  if (!port.in_flight.empty())
    events_.push(pool_[port.in_flight.first].arrives, EthernetEvent::kArrival, link);
  EthernetPacket& packet = pool_[number];
  if (packet.kind == EthernetPacketKind::kPause || packet.kind == EthernetPacketKind::kResume) {
    const int priority = packet.priority;
    const bool is_pause = packet.kind == EthernetPacketKind::kPause;
    pool_.release(number);
    if (is_pause) {
      ports_[link ^ 1].pause(priority, now_);
    } else {
      ports_[link ^ 1].resume(priority, now_);
      send_next(link ^ 1);
    }
    return;
  }
  if (graph_.is_host(graph_.links[link].to)) {
    receive(number);
  } else {
    enter_switch(link, number);
  }
}

}  // namespace fredsim
