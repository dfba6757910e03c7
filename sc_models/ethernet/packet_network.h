// SPDX-License-Identifier: Apache-2.0
// An Ethernet network for RoCE, packet by packet: messages between hosts, switches with a shared
// buffer, pauses (PFC), marks (ECN), and a congestion control per queue pair.
//
// Time: whole picoseconds. Events are ordered by (time, number), so a run is the same on any
//   machine. advance() runs all events up to a time, next_event() says when the next one is.
// Switches: store and forward, in no time beside that of the wires.
// Idealised: hosts take packets as they come; acknowledgements take no room in the switches'
//   buffers; no packet is corrupted.
// Errors: BadInput for a graph or settings that cannot run, with the key; RunFailed when a queue
//   pair has timed out kMostTimeOuts times in a row.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "ethernet/graph.h"
#include "ethernet/host.h"
#include "ethernet/port.h"
#include "ethernet/settings.h"

namespace fredsim {

inline constexpr int kMostTimeOuts = 1000;

struct EthernetMessage {
  int source = 0, destination = 0;  // hosts
  std::uint64_t bytes = 0;          // payload, 1 or more
  int priority = kDataPriority;
  // Messages of a source and destination with equal numbers share a queue pair that stays
  // (QueuePairs::kPair).
  int queue_pair = 0;
};

struct EthernetCounts {
  std::uint64_t messages = 0;     // messages received
  std::uint64_t payload = 0;      // received, each byte once
  std::uint64_t packet_hops = 0;  // packets over links
  std::uint64_t marks = 0, drops = 0;
  std::uint64_t pauses = 0;  // XOFF sent
  std::uint64_t nacks = 0, time_outs = 0;
  std::uint64_t retransmitted = 0;   // packets
  std::uint64_t duplicates = 0;      // packets received again
  std::uint64_t largest_buffer = 0;  // largest use of a switch, bytes
};

class PacketNetworkState;

class PacketNetwork {
 public:
  PacketNetwork(EthernetGraph graph, EthernetSettings settings);
  ~PacketNetwork();

  // Sends from now() on. `on_received` is called when the last byte has arrived, and may send.
  void send(const EthernetMessage& message, OnReceived on_received);
  std::optional<Picoseconds> next_event() const;
  void advance(Picoseconds until);  // now() is `until` after it
  void run();                       // up to the last event

  Picoseconds now() const;
  Picoseconds longest_round_trip() const;  // T
  EthernetCounts counts() const;
  const EthernetPort& port(int link) const;
  std::uint64_t buffer_in_use(int node) const;  // node: a switch
  std::uint64_t packets_in_flight() const;
  std::vector<double> rates();  // rates of the queue pairs with data, bits per second

 private:
  std::unique_ptr<PacketNetworkState> state_;
};

}  // namespace fredsim
