// SPDX-License-Identifier: Apache-2.0
// A packet network at work: its events, by part: ports (network_ports.cpp), switches
// (network_switches.cpp), and queue pairs of hosts (network_hosts.cpp).
//
// Contract: ethernet/packet_network.h. Links, nodes and queue pairs are numbers.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "base/random.h"
#include "ethernet/event_queue.h"
#include "ethernet/packet_network.h"
#include "ethernet/routes.h"
#include "ethernet/switch.h"

namespace fredsim {

class PacketNetworkState {
 public:
  PacketNetworkState(EthernetGraph graph, EthernetSettings settings);

  void send(const EthernetMessage& message, OnReceived on_received);
  std::optional<Picoseconds> next_event() const;
  void advance(Picoseconds until);
  void run();

  Picoseconds now() const { return now_; }
  Picoseconds longest_round_trip() const { return routes_.longest_round_trip(); }
  const EthernetPort& port(int link) const { return ports_[link]; }
  std::uint64_t buffer_in_use(int node) const { return buffers_[node - graph_.hosts].in_use(); }
  std::uint64_t packets_in_flight() const { return pool_.used(); }
  EthernetCounts counts() const;
  std::vector<double> rates();

 private:
  void step();

  // Events at ports.
  void send_next(std::uint32_t link);
  void depart(std::uint32_t link, std::uint32_t number);
  void arrive(std::uint32_t link);

  // Passage through switches.
  void enter_switch(std::uint32_t link, std::uint32_t number);
  void leave_switch(std::uint32_t link, std::uint32_t number);
  void send_pause(std::uint32_t link, int priority, EthernetPacketKind kind);
  std::uint32_t next_link(int node, const EthernetPacket& packet);

  // Queue pairs of sources.
  std::uint32_t pair_of(const EthernetMessage& message);
  void begin(std::uint32_t pair, const EthernetMessage& message);
  ControlledPath path_of(std::uint32_t host) const;
  bool may_send_more(QueuePair& pair);
  // Puts a queue pair among the ready ones, or sets the event that will.
  void consider(std::uint32_t pair);
  void wait(std::uint32_t pair);
  // The next packet of data of a host, of the first queue pair that may send one.
  std::uint32_t next_data(std::uint32_t host, const EthernetPort& port);
  std::uint32_t data_packet(std::uint32_t pair);
  void time_out(std::uint32_t pair);
  void go_back(QueuePair& pair, std::uint64_t offset);
  // A queue pair of a message that is done serves another message.
  void retire(std::uint32_t pair);

  // Destinations, and what returns from them.
  void receive(std::uint32_t number);
  void receive_data(std::uint32_t number);
  void take(QueuePair& pair, const EthernetPacket& packet);
  // Turns a packet of data into its answer.
  void answer(std::uint32_t number, EthernetPacketKind kind);
  void receive_acknowledgement(std::uint32_t number);
  void drop(std::uint32_t number);

  EthernetGraph graph_;
  EthernetSettings settings_;
  const CongestionControlKind* kind_;
  EthernetRoutes routes_;
  EthernetPacketPool pool_;
  EventQueue events_;
  std::vector<EthernetPort> ports_;  // by link
  std::vector<int> input_;           // by link: input port of the switch at its end
  std::vector<std::uint32_t> host_link_;
  std::vector<SharedBuffer> buffers_;  // by switch
  std::deque<QueuePair> pairs_;
  std::vector<std::uint32_t> unused_;
  std::map<std::tuple<int, int, int, int>, std::uint32_t> numbers_;  // QueuePairs::kPair
  std::vector<std::deque<std::uint32_t>> ready_;                     // by host: queue pairs
  std::deque<OnReceived> received_;                                  // to be called
  std::uint64_t began_ = 0;                                          // queue pairs
  Random random_;
  Picoseconds now_ = 0;
  EthernetCounts counts_;
};

}  // namespace fredsim
