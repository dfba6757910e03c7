// SPDX-License-Identifier: Apache-2.0
// The sending end of an Ethernet link: queues by priority, the packets in flight, counters.
//
// Order: pauses first, then the highest priority that has packets and is not paused.
#pragma once

#include <array>
#include <cstdint>

#include "base/random.h"
#include "ethernet/graph.h"
#include "ethernet/packet.h"

namespace fredsim {

// Counters of a port.
struct EthernetPortCounts {
  std::uint64_t packets = 0, bytes = 0;  // sent, all kinds
  std::uint64_t data_bytes = 0;          // sent, payload
  std::uint64_t marks = 0;               // data packets marked here
  std::uint64_t drops = 0;               // packets for this port that did not fit
  std::uint64_t pauses = 0;              // XOFF received
  Picoseconds paused = 0;                // time, of all priorities
  std::uint64_t largest_queue = 0;       // bytes, of any priority
};

struct EthernetPort {
  std::array<EthernetPacketList, kEthernetPriorities> queues{};
  std::array<std::uint64_t, kEthernetPriorities> queued{};  // bytes
  std::array<Picoseconds, kEthernetPriorities> paused_at{};
  EthernetPacketList pauses;             // frames to be sent
  EthernetPacketList in_flight;          // only the first is an event
  std::uint8_t waiting = 0, paused = 0;  // priorities, a bit each
  bool has_free_event = false;
  Picoseconds free_at = 0;
  EthernetPortCounts counts;
  // HPCC-PINT: load, and departure of the last packet.
  double use = 0;
  Picoseconds last_departure = 0;

  void queue(EthernetPacketPool& pool, std::uint32_t number);
  std::uint32_t dequeue(EthernetPacketPool& pool, int priority);
  void pause(int priority, Picoseconds now);
  void resume(int priority, Picoseconds now);
  // Load of the link for HPCC-PINT, when a packet of `bytes` leaves `queue` bytes behind.
  double load(const EthernetLink& wire, std::uint32_t bytes, std::uint64_t queue, Picoseconds now,
              Picoseconds longest_round_trip);
  bool may_send(int priority) const { return ((paused >> priority) & 1) == 0; }
};

// ECN: whether a packet that leaves `queue` bytes behind is marked.
bool is_marked(std::uint64_t queue, const EthernetSettings& settings, Random& random);

}  // namespace fredsim
