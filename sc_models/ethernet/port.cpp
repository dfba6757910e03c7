// SPDX-License-Identifier: Apache-2.0
#include "ethernet/port.h"

#include <algorithm>

namespace fredsim {

void EthernetPort::queue(EthernetPacketPool& pool, std::uint32_t number) {
  const EthernetPacket& packet = pool[number];
  const int priority = packet.priority;
  queued[priority] += packet.bytes;
  counts.largest_queue = std::max(counts.largest_queue, queued[priority]);
  queues[priority].push(pool, number);
  waiting |= static_cast<std::uint8_t>(1U << priority);
}

std::uint32_t EthernetPort::dequeue(EthernetPacketPool& pool, int priority) {
  const std::uint32_t number = queues[priority].pop(pool);
  queued[priority] -= pool[number].bytes;
  if (queues[priority].empty()) waiting &= static_cast<std::uint8_t>(~(1U << priority));
  return number;
}

void EthernetPort::pause(int priority, Picoseconds now) {
  ++counts.pauses;
  if (!may_send(priority)) return;
  paused |= static_cast<std::uint8_t>(1U << priority);
  paused_at[priority] = now;
}

void EthernetPort::resume(int priority, Picoseconds now) {
  if (may_send(priority)) return;
  paused &= static_cast<std::uint8_t>(~(1U << priority));
  counts.paused += now - paused_at[priority];
}

double EthernetPort::load(const EthernetLink& wire, std::uint32_t bytes, std::uint64_t queue,
                          Picoseconds now, Picoseconds longest_round_trip) {
  const auto longest = static_cast<double>(longest_round_trip);
  const double time = std::min(static_cast<double>(now - last_departure), longest);
  const double bytes_of_longest = static_cast<double>(wire.bits_per_second) / 8e12 * longest;
  use = use * (longest - time) / longest + bytes / bytes_of_longest +
        time * static_cast<double>(queue) / (bytes_of_longest * longest);
  last_departure = now;
  return use;
}

bool is_marked(std::uint64_t queue, const EthernetSettings& settings, Random& random) {
  if (queue <= settings.kmin) return false;
  if (queue > settings.kmax) return true;
  constexpr std::uint64_t kParts = std::uint64_t{1} << 32;
  const double chance = settings.pmax * static_cast<double>(queue - settings.kmin) /
                        static_cast<double>(settings.kmax - settings.kmin);
  return static_cast<double>(random.below(kParts)) < chance * static_cast<double>(kParts);
}

}  // namespace fredsim
