// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ethernet/detail/packet_network_state.h"
#include "ethernet/detail/pint.h"

namespace fredsim {

void PacketNetworkState::enter_switch(std::uint32_t link, std::uint32_t number) {
  EthernetPacket& packet = pool_[number];
  const int node = graph_.links[link].to;
  const std::uint32_t out = next_link(node, packet);
  packet.from_link = link;
  if (packet.kind == EthernetPacketKind::kData) {
    const SharedBuffer::Admission admission =
        buffers_[node - graph_.hosts].admit(input_[link], packet.priority, packet.bytes);
    if (!admission.fits) {
      ++ports_[out].counts.drops;
      drop(number);
      return;
    }
    if (admission.pause) send_pause(link ^ 1, packet.priority, EthernetPacketKind::kPause);
  }
  ports_[out].queue(pool_, number);
  send_next(out);
}

void PacketNetworkState::leave_switch(std::uint32_t link, std::uint32_t number) {
  EthernetPacket& packet = pool_[number];
  if (packet.kind != EthernetPacketKind::kData) return;
  const int node = graph_.links[link].from;
  if (buffers_[node - graph_.hosts].release(input_[packet.from_link], packet.priority,
                                            packet.bytes))
    send_pause(packet.from_link ^ 1, packet.priority, EthernetPacketKind::kResume);
  EthernetPort& port = ports_[link];
  const std::uint64_t left = port.queued[packet.priority];
  if (is_marked(left, settings_, random_)) {
    ++port.counts.marks;
    packet.marked = true;
  }
  const EthernetLink& wire = graph_.links[link];
  if (kind_->telemetry == Telemetry::kPorts) {
    pool_.records(number)[packet.ports++] = {now_, port.counts.bytes, left, wire.bits_per_second};
  } else if (kind_->telemetry == Telemetry::kPint) {
    const double use = port.load(wire, packet.bytes, left, now_, routes_.longest_round_trip());
    packet.pint = std::max(packet.pint, pint_power(use, settings_.hpcc.pint_base, random_));
  }
}

void PacketNetworkState::send_pause(std::uint32_t link, int priority, EthernetPacketKind kind) {
  if (kind == EthernetPacketKind::kPause) ++counts_.pauses;
  const std::uint32_t number = pool_.make();
  EthernetPacket& packet = pool_[number];
  packet.kind = kind;
  packet.bytes = kPauseBytes;
  packet.priority = static_cast<std::uint8_t>(priority);
  ports_[link].pauses.push(pool_, number);
  send_next(link);
}

std::uint32_t PacketNetworkState::next_link(int node, const EthernetPacket& packet) {
  const auto links = routes_.links(node, static_cast<int>(packet.destination));
  if (links.size() == 1) return links.front();
  switch (settings_.paths) {
    case EthernetPaths::kByPlace:
      return links[packet.destination % links.size()];
    case EthernetPaths::kSpray:
      return links[random_.below(links.size())];
    case EthernetPaths::kHashed:
      break;
  }
  const bool is_back = packet.kind != EthernetPacketKind::kData;
  return links[mix64(pairs_[packet.queue_pair].hash + (is_back ? 1 : 0) +
                     (static_cast<std::uint64_t>(node) << 32)) %
               links.size()];
}

}  // namespace fredsim
