// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "ethernet/detail/packet_network_state.h"

namespace fredsim {

std::uint32_t PacketNetworkState::pair_of(const EthernetMessage& message) {
  if (settings_.queue_pairs == QueuePairs::kMessage) {
    if (!unused_.empty()) {
      const std::uint32_t number = unused_.back();
      unused_.pop_back();
      begin(number, message);
      return number;
    }
  } else {
    const auto key =
        std::tuple{message.source, message.destination, message.priority, message.queue_pair};
    const auto [found, is_new] = numbers_.try_emplace(key, pairs_.size());
    if (!is_new) return found->second;
  }
  pairs_.emplace_back();
  const auto number = static_cast<std::uint32_t>(pairs_.size() - 1);
  begin(number, message);
  return number;
}

void PacketNetworkState::begin(std::uint32_t number, const EthernetMessage& message) {
  QueuePair& pair = pairs_[number];
  pair = {};
  pair.source = static_cast<std::uint32_t>(message.source);
  pair.destination = static_cast<std::uint32_t>(message.destination);
  pair.priority = message.priority;
  pair.hash = mix64(mix64(settings_.seed) + mix64(pair.source) * 3 + mix64(pair.destination) * 5 +
                    mix64(++began_) * 7);
  pair.control = kind_->make(settings_, path_of(pair.source));
}

ControlledPath PacketNetworkState::path_of(std::uint32_t host) const {
  return {static_cast<double>(graph_.links[host_link_[host]].bits_per_second),
          routes_.longest_round_trip()};
}

bool PacketNetworkState::may_send_more(QueuePair& pair) {
  return pair.has_data() && pair.has_window(settings_, path_of(pair.source), now_);
}

void PacketNetworkState::consider(std::uint32_t number) {
  QueuePair& pair = pairs_[number];
  if (pair.is_ready || pair.is_waiting || !may_send_more(pair)) return;
  if (pair.next_at > now_) {
    wait(number);
    return;
  }
  pair.is_ready = true;
  ready_[pair.source].push_back(number);
  send_next(host_link_[pair.source]);
}

void PacketNetworkState::wait(std::uint32_t number) {
  pairs_[number].is_waiting = true;
  events_.push(pairs_[number].next_at, EthernetEvent::kPace, number);
}

std::uint32_t PacketNetworkState::next_data(std::uint32_t host, const EthernetPort& port) {
  std::deque<std::uint32_t>& ready = ready_[host];
  for (std::size_t looked = ready.size(); looked > 0; --looked) {
    const std::uint32_t number = ready.front();
    ready.pop_front();
    QueuePair& pair = pairs_[number];
    if (!port.may_send(pair.priority)) {
      ready.push_back(number);
      continue;
    }
    pair.is_ready = false;
    if (!may_send_more(pair)) continue;
    return data_packet(number);
  }
  return kNoPacket;
}

std::uint32_t PacketNetworkState::data_packet(std::uint32_t number) {
  QueuePair& pair = pairs_[number];
  const std::uint32_t made = pool_.make();
  EthernetPacket& packet = pool_[made];
  const auto end = std::ranges::upper_bound(pair.ends, pair.next);
  packet.payload =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(settings_.mtu, *end - pair.next));
  packet.bytes = packet.payload + static_cast<std::uint32_t>(settings_.header);
  packet.queue_pair = number;
  packet.source = pair.source;
  packet.destination = pair.destination;
  packet.offset = pair.next;
  packet.sent = now_;
  packet.priority = static_cast<std::uint8_t>(pair.priority);
  packet.is_last = pair.next + packet.payload == *end;
  pair.next += packet.payload;
  ++pair.packets;
  pair.pace(packet.bytes, path_of(pair.source).line_rate, now_);
  if (!pair.has_time_out) {
    pair.has_time_out = true;
    pair.last_progress = now_;
    events_.push(now_ + settings_.time_out, EthernetEvent::kTimeOut, number);
  }
  if (!may_send_more(pair)) return made;
  if (pair.next_at > now_) {
    wait(number);
  } else {  // in turn: behind the others
    pair.is_ready = true;
    ready_[pair.source].push_back(number);
  }
  return made;
}

void PacketNetworkState::time_out(std::uint32_t number) {
  QueuePair& pair = pairs_[number];
  pair.has_time_out = false;
  if (pair.acknowledged == pair.next) {
    retire(number);
    return;
  }
  const Picoseconds due = pair.last_progress + settings_.time_out;
  pair.has_time_out = true;
  if (due > now_) {
    events_.push(due, EthernetEvent::kTimeOut, number);
    return;
  }
  ++counts_.time_outs;
  if (++pair.time_outs >= kMostTimeOuts)
    throw RunFailed(fmt::format(
        "Ethernet: queue pair from host {} to host {} timed out {} times in a row, at byte {}",
        pair.source, pair.destination, pair.time_outs, pair.acknowledged));
  go_back(pair, pair.acknowledged);
  pair.last_progress = now_;
  events_.push(now_ + settings_.time_out, EthernetEvent::kTimeOut, number);
  consider(number);
}

void PacketNetworkState::go_back(QueuePair& pair, std::uint64_t offset) {
  const auto mtu = static_cast<std::uint64_t>(settings_.mtu);
  if (pair.next > offset) counts_.retransmitted += (pair.next - offset + mtu - 1) / mtu;
  pair.next = std::min(pair.next, offset);
}

void PacketNetworkState::retire(std::uint32_t number) {
  QueuePair& pair = pairs_[number];
  const bool is_done = pair.acknowledged == pair.end && pair.packets == 0;
  if (settings_.queue_pairs != QueuePairs::kMessage || !is_done || pair.has_time_out) return;
  if (std::exchange(pair.is_unused, true)) return;
  unused_.push_back(number);
}

void PacketNetworkState::receive(std::uint32_t number) {
  if (pool_[number].kind == EthernetPacketKind::kData) {
    receive_data(number);
  } else {
    receive_acknowledgement(number);
  }
}

void PacketNetworkState::receive_data(std::uint32_t number) {
  const EthernetPacket& packet = pool_[number];
  QueuePair& pair = pairs_[packet.queue_pair];
  ++pair.unacknowledged;
  if (packet.offset < pair.expected) ++counts_.duplicates;
  if (settings_.any_order || packet.offset <= pair.expected) {
    take(pair, packet);
  } else {
    const bool is_new = pair.refused != pair.expected;
    if (!is_new && now_ < pair.refused_at + settings_.nack_interval) {
      drop(number);
      return;
    }
    pair.refused = pair.expected;
    pair.refused_at = now_;
    ++counts_.nacks;
    answer(number, EthernetPacketKind::kNack);
    return;
  }
  if (pair.unacknowledged >= settings_.ack_every || packet.is_last || packet.marked) {
    pair.unacknowledged = 0;
    answer(number, EthernetPacketKind::kAcknowledgement);
  } else {
    drop(number);
  }
}

void PacketNetworkState::take(QueuePair& pair, const EthernetPacket& packet) {
  counts_.payload += pair.take(packet.offset, packet.payload, settings_);
  while (!pair.messages.empty() && pair.messages.front().end <= pair.expected) {
    ++counts_.messages;
    received_.push_back(std::move(pair.messages.front().on_received));
    pair.messages.pop_front();
  }
}

void PacketNetworkState::answer(std::uint32_t number, EthernetPacketKind kind) {
  EthernetPacket& packet = pool_[number];
  const QueuePair& pair = pairs_[packet.queue_pair];
  packet.kind = kind;
  packet.bytes = static_cast<std::uint32_t>(settings_.acknowledgement);
  packet.payload = 0;
  packet.offset = pair.expected;
  packet.priority = kAcknowledgementPriority;
  std::swap(packet.source, packet.destination);
  const std::uint32_t link = host_link_[packet.source];
  ports_[link].queue(pool_, number);
  send_next(link);
  while (!received_.empty()) {
    const OnReceived call = std::move(received_.front());
    received_.pop_front();
    if (call) call(now_);
  }
}

void PacketNetworkState::receive_acknowledgement(std::uint32_t number) {
  const EthernetPacket packet = pool_[number];
  QueuePair& pair = pairs_[packet.queue_pair];
  if (packet.offset > pair.acknowledged) {
    pair.acknowledged = packet.offset;
    pair.next = std::max(pair.next, pair.acknowledged);
    pair.last_progress = now_;
    pair.time_outs = 0;
    while (!pair.ends.empty() && pair.ends.front() <= pair.acknowledged) pair.ends.pop_front();
  }
  if (packet.kind == EthernetPacketKind::kNack) go_back(pair, pair.acknowledged);
  Acknowledgement news{now_,      packet.sent, packet.marked, pair.acknowledged,
                       pair.next, {},          packet.pint};
  if (packet.ports > 0) news.ports = {pool_.records(number).data(), packet.ports};
  pair.control->acknowledged(news);
  drop(number);
  consider(packet.queue_pair);
  retire(packet.queue_pair);
}

void PacketNetworkState::drop(std::uint32_t number) {
  --pairs_[pool_[number].queue_pair].packets;
  pool_.release(number);
}

}  // namespace fredsim
