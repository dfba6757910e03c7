// SPDX-License-Identifier: Apache-2.0
#include "ethernet/detail/packet_network_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/error.h"

namespace fredsim {

namespace {

EthernetSettings checked(EthernetSettings settings) {
  const auto refuse = [](const char* key, double found, const std::string& allowed) {
    throw BadInput(fmt::format("ethernet.{}: found {}; allowed: {}", key, found, allowed));
  };
  if (settings.kmin > settings.kmax)
    refuse("kmin", static_cast<double>(settings.kmin), fmt::format("0 to kmax, {}", settings.kmax));
  if (settings.pmax <= 0 || settings.pmax > 1) refuse("pmax", settings.pmax, "above 0, to 1");
  if (settings.pfc_alpha <= 0 || settings.pfc_alpha > 1)
    refuse("pfc_alpha", settings.pfc_alpha, "above 0, to 1");
  if (settings.mtu < 1) refuse("mtu", settings.mtu, "1 and more");
  if (settings.ack_every < 1) refuse("ack_every", settings.ack_every, "1 and more");
  return settings;
}

}  // namespace

PacketNetworkState::PacketNetworkState(EthernetGraph graph, EthernetSettings settings)
    : graph_((graph.check(), std::move(graph))),
      settings_(checked(std::move(settings))),
      kind_(&congestion_control(settings_.congestion)),
      routes_(graph_, static_cast<std::uint64_t>(settings_.mtu + settings_.header)),
      pool_(kind_->telemetry == Telemetry::kPorts),
      ports_(graph_.links.size()),
      random_(settings_.seed) {
  std::vector<std::vector<std::uint64_t>> headroom(graph_.switches);
  input_.resize(graph_.links.size());
  host_link_.resize(graph_.hosts);
  for (std::uint32_t link = 0; link < graph_.links.size(); ++link) {
    const EthernetLink& wire = graph_.links[link];
    if (graph_.is_host(wire.from)) host_link_[wire.from] = link;
    if (graph_.is_host(wire.to)) continue;
    auto& inputs = headroom[wire.to - graph_.hosts];
    input_[link] = static_cast<int>(inputs.size());
    inputs.push_back(pfc_headroom(wire, settings_));
  }
  for (auto& inputs : headroom) buffers_.emplace_back(settings_, std::move(inputs));
  ready_.resize(graph_.hosts);
}

void PacketNetworkState::send(const EthernetMessage& message, OnReceived on_received) {
  const std::uint32_t number = pair_of(message);
  QueuePair& pair = pairs_[number];
  pair.end += message.bytes;
  pair.ends.push_back(pair.end);
  pair.messages.push_back({pair.end, std::move(on_received)});
  if (pair.acknowledged == pair.next) pair.last_progress = now_;
  consider(number);
}

std::optional<Picoseconds> PacketNetworkState::next_event() const {
  if (events_.empty()) return {};
  return events_.top().time;
}

void PacketNetworkState::advance(Picoseconds until) {
  while (!events_.empty() && events_.top().time <= until) step();
  now_ = std::max(now_, until);
}

void PacketNetworkState::run() {
  while (!events_.empty()) step();
}

EthernetCounts PacketNetworkState::counts() const {
  EthernetCounts counts = counts_;
  for (const EthernetPort& port : ports_) {
    counts.packet_hops += port.counts.packets;
    counts.marks += port.counts.marks;
    counts.drops += port.counts.drops;
  }
  for (const SharedBuffer& buffer : buffers_)
    counts.largest_buffer = std::max(counts.largest_buffer, buffer.largest_use());
  return counts;
}

std::vector<double> PacketNetworkState::rates() {
  std::vector<double> rates;
  for (QueuePair& pair : pairs_)
    if (pair.acknowledged < pair.end) rates.push_back(pair.control->rate(now_));
  return rates;
}

void PacketNetworkState::step() {
  const EventQueue::Entry event = events_.top();
  events_.pop();
  now_ = event.time;
  switch (event.event) {
    case EthernetEvent::kArrival:
      arrive(event.index);
      break;
    case EthernetEvent::kPortFree:
      ports_[event.index].has_free_event = false;
      send_next(event.index);
      break;
    case EthernetEvent::kPace:
      pairs_[event.index].is_waiting = false;
      consider(event.index);
      break;
    case EthernetEvent::kTimeOut:
      time_out(event.index);
      break;
  }
}

}  // namespace fredsim
