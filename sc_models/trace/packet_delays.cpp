// SPDX-License-Identifier: Apache-2.0
// Attribution of a packet's cycles to causes.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "switch/node_shape.h"
#include "trace/packet_follower.h"

namespace fredsim {
namespace {

// Cycles beyond one each that the flits behind the first one take on a link.
std::uint64_t beyond_cycles(const Rational& rate, int flits) {
  const auto more = static_cast<std::uint64_t>(flits - 1);
  return (more * (rate.den - rate.num) + rate.num - 1) / rate.num;
}

}  // namespace

void PacketFollower::explain(NodeId node, int port, const FlitHeader& head, const Group& group,
                             Hop& hop) {
  const std::optional<SwitchTiming>& timing = switch_states_[node].timing;
  if (!timing) {
    split(node, port, head.vc, hop.begin, hop.launch, Room::kOfReceiver, 1, hop);
    count(hop.cycles, DelayCause::kPipeline) =
        std::exchange(count(hop.cycles, DelayCause::kArbiter), 0);
    return;
  }
  const auto to_leave = static_cast<std::uint64_t>(timing->to_leave);
  auto to_pins = static_cast<std::uint64_t>(timing->to_pins);
  if (group.operands > 1)
    to_pins += static_cast<std::uint64_t>(timing->sum + timing->per_operand * group.operands);
  count(hop.cycles, DelayCause::kPipeline) = to_leave + to_pins;
  const bool is_known = group.left_known;
  const std::uint64_t left = is_known ? group.left.front() : hop.launch - to_pins;
  const std::uint64_t hol = is_known ? group.hol : hop.begin + to_leave;
  if (left + to_pins > hop.launch || hol > left) {
    fail(node, port, head, "has come out before it can");
  }
  if (!is_known) {
    split(node, port, head.vc, hol, left, Room::kOfReceiver, 1, hop);
    return;
  }
  count(hop.cycles, DelayCause::kQueue) = hol - hop.begin - to_leave;
  count(hop.cycles, DelayCause::kPhase) = group.phase_until - hol;
  const std::uint64_t out = left + to_pins;
  if (timing->staging > 0) {
    const int packet = head.vc == kControl ? 1 : topology_.packet_flits;
    split(node, port, head.vc, group.phase_until, left, Room::kOfStaging, packet, hop);
    split(node, port, head.vc, out - 1, hop.launch - 1, Room::kOfReceiver, 1, hop);
  } else {
    const Node& at = topology_.nodes[node];
    const int max = output(node, port, head.vc).credits.capacity();
    const int places =
        head.vc == kControl ? 1 : kind_of(at).head_credits(topology_, at, group.input, port, max);
    split(node, port, head.vc, group.phase_until, left, Room::kOfReceiver, places, hop);
    count(hop.cycles, DelayCause::kArbiter) += hop.launch - out;
  }
}

void PacketFollower::split(NodeId node, int port, int vc, std::uint64_t begin, std::uint64_t end,
                           Room room, int places, Hop& hop) {
  if (begin >= end) return;
  const Output& out = output(node, port, vc);
  const bool of_receiver = room == Room::kOfReceiver;
  RoomHistory::Cursor free(of_receiver ? out.credits : out.staging, begin);
  LinkHistory::Cursor link(ports_[place(node, port)].link, begin);
  for (std::uint64_t at = begin; at < end; ++at) {
    const DelayCause cause = free.free_at(at) < places         ? DelayCause::kCredit
                             : of_receiver && link.busy_at(at) ? DelayCause::kLink
                                                               : DelayCause::kArbiter;
    ++count(hop.cycles, cause);
  }
}

std::uint64_t PacketFollower::serialisation(const Hop& hop) const {
  return hop.end - hop.launch - static_cast<std::uint64_t>(topology_.links[hop.link].latency);
}

void PacketFollower::deliver(NodeId node, int port, int vc, std::uint64_t at) {
  const Entry& entry = input(node, port, vc).packets.front();
  Delivery packet{.node = node,
                  .port = port,
                  .header = entry.header,
                  .flits = entry.arrived,
                  .last_hop = entry.hop,
                  .delivered = at};
  std::uint64_t cycles = 0;
  std::uint64_t slowest = 0;
  for (std::uint32_t h = entry.hop; h != kNone; h = hops_[h].before) {
    const Hop& hop = hops_[h];
    const Link& link = topology_.links[hop.link];
    cycles += std::accumulate(hop.cycles.begin(), hop.cycles.end(), std::uint64_t{0}) +
              serialisation(hop) + static_cast<std::uint64_t>(link.latency);
    slowest = std::max(slowest, beyond_cycles(link.flit_rate(), packet.flits));
    packet.handed = hop.begin;
  }
  const auto more = static_cast<std::uint64_t>(packet.flits - 1);
  const std::uint64_t lag = entry.tail_arrival - entry.arrival;
  count(packet.cycles, DelayCause::kFlits) = more;
  count(packet.cycles, DelayCause::kSerialisation) = std::min(slowest, lag - more);
  count(packet.cycles, DelayCause::kGaps) = lag - more - std::min(slowest, lag - more);
  count(packet.cycles, DelayCause::kReceive) = at - entry.tail_arrival;
  cycles += std::accumulate(packet.cycles.begin(), packet.cycles.end(), std::uint64_t{0});
  if (cycles != packet.latency()) {
    fail(node, port, entry.header,
         fmt::format("took {} cycles, but its breakdown has {}", packet.latency(), cycles));
  }
  delivered(packet);
  let_go(entry.hop);
}

void PacketFollower::add_up(const Delivery& packet, StageCycles& cycles,
                            std::vector<int>& visits) const {
  for (std::uint32_t h = packet.last_hop; h != kNone; h = hops_[h].before) {
    const Hop& hop = hops_[h];
    const int link = stages_.link(hop.link);
    cycles.add(hop.stage, hop.cycles);
    cycles.add(link, DelayCause::kSerialisation, serialisation(hop));
    cycles.add(link, DelayCause::kLatency,
               static_cast<std::uint64_t>(topology_.links[hop.link].latency));
    visits.push_back(hop.stage);
    visits.push_back(link);
  }
  cycles.add(stages_.receiving_nic(), packet.cycles);
  visits.push_back(stages_.receiving_nic());
}

NodeId PacketFollower::source(const Delivery& packet) const {
  std::uint32_t first = packet.last_hop;
  while (hops_[first].before != kNone) first = hops_[first].before;
  return hops_[first].node;
}

PacketBreakdown PacketFollower::describe(const Delivery& packet, std::uint64_t first) const {
  PacketBreakdown shown;
  shown.source = topology_.nodes[source(packet)].name;
  shown.destination = topology_.nodes[packet.node].name;
  shown.begin = packet.handed - first;
  shown.end = packet.delivered - first;
  std::uint64_t arrival = 0;
  for (std::uint32_t h = packet.last_hop; h != kNone; h = hops_[h].before) {
    const Hop& hop = hops_[h];
    arrival = std::max(arrival, hop.end);
    const Link& link = topology_.links[hop.link];
    CyclesByCause on_link{};
    count(on_link, DelayCause::kSerialisation) = serialisation(hop);
    count(on_link, DelayCause::kLatency) = static_cast<std::uint64_t>(link.latency);
    shown.hops.push_back({link.name, stages_.name(stages_.link(hop.link)), hop.launch - first,
                          named_cycles(on_link)});
    shown.hops.push_back({topology_.nodes[hop.node].name, stages_.name(hop.stage),
                          hop.begin - first, named_cycles(hop.cycles)});
  }
  std::ranges::reverse(shown.hops);
  shown.hops.push_back({shown.destination, stages_.name(stages_.receiving_nic()), arrival - first,
                        named_cycles(packet.cycles)});
  return shown;
}

}  // namespace fredsim
