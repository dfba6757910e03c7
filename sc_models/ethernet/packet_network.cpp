// SPDX-License-Identifier: Apache-2.0
#include "ethernet/packet_network.h"

#include <utility>

#include "ethernet/detail/packet_network_state.h"

namespace fredsim {

PacketNetwork::PacketNetwork(EthernetGraph graph, EthernetSettings settings)
    : state_(std::make_unique<PacketNetworkState>(std::move(graph), std::move(settings))) {}
PacketNetwork::~PacketNetwork() = default;
void PacketNetwork::send(const EthernetMessage& message, OnReceived on_received) {
  state_->send(message, std::move(on_received));
}
std::optional<Picoseconds> PacketNetwork::next_event() const { return state_->next_event(); }
void PacketNetwork::advance(Picoseconds until) { state_->advance(until); }
void PacketNetwork::run() { state_->run(); }
Picoseconds PacketNetwork::now() const { return state_->now(); }
Picoseconds PacketNetwork::longest_round_trip() const { return state_->longest_round_trip(); }
EthernetCounts PacketNetwork::counts() const { return state_->counts(); }
const EthernetPort& PacketNetwork::port(int link) const { return state_->port(link); }
std::uint64_t PacketNetwork::buffer_in_use(int node) const { return state_->buffer_in_use(node); }
std::uint64_t PacketNetwork::packets_in_flight() const { return state_->packets_in_flight(); }
std::vector<double> PacketNetwork::rates() { return state_->rates(); }

}  // namespace fredsim
