// SPDX-License-Identifier: Apache-2.0
// Hosts of an Ethernet network: queue pairs with windows, rates, Go-Back-N, and the order in which
// they send.
//
// Order: queue pairs in turn, those that may send. A queue pair is in one place: among the ready
//   ones, waiting for its rate, or, with a full window or nothing to send, nowhere.
// Offsets: bytes of payload since the begin of the queue pair.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>

#include "ethernet/congestion_control.h"
#include "ethernet/packet.h"
#include "ethernet/settings.h"

namespace fredsim {

using OnReceived = std::function<void(Picoseconds)>;

struct QueuePair {
  struct Message {
    std::uint64_t end = 0;  // offset behind its last byte
    OnReceived on_received;
  };

  std::uint32_t source = 0, destination = 0;
  int priority = 0;
  std::uint64_t hash = 0;  // hash of its packets' path
  std::unique_ptr<CongestionControl> control;
  // State of the source.
  std::uint64_t next = 0, acknowledged = 0, end = 0;
  std::deque<std::uint64_t> ends;  // ends of messages that are not acknowledged
  Picoseconds next_at = 0;         // earliest time of the next packet, fixed when one is sent
  Picoseconds last_progress = 0;
  bool is_ready = false, is_waiting = false, has_time_out = false;
  int time_outs = 0;         // without progress between them
  std::int64_t packets = 0;  // packets of data, or their answers, that exist
  bool is_unused = false;    // may serve another message
  // State of the destination.
  std::uint64_t expected = 0;
  std::deque<Message> messages;                    // messages that have not been received
  std::map<std::uint64_t, std::uint32_t> early{};  // any order: payload by offset, after `expected`
  std::uint64_t refused = UINT64_MAX;              // offset of the last NACK
  Picoseconds refused_at = 0;
  int unacknowledged = 0;  // packets

  bool has_data() const { return next < end; }
  // Returns true if the window lets it send.
  bool has_window(const EthernetSettings& settings, const ControlledPath& path, Picoseconds now);
  // Sets the time of the next packet after one of `bytes` on the wire.
  void pace(std::uint32_t bytes, double line_rate, Picoseconds now);
  // Bytes of payload that a packet, in its order or in any, adds to those received in order.
  std::uint64_t take(std::uint64_t offset, std::uint32_t payload, const EthernetSettings& settings);
};

}  // namespace fredsim
