// SPDX-License-Identifier: Apache-2.0
// Sources of a TrainFabric: rules as in traffic/traffic_node.h. A packet starts with one credit, so
// that its later flits may wait for credits that nobody has returned yet; they get their places in
// time when the switch grants the packets before it.
#include <bit>

#include "traffic/trains/train_fabric.h"

namespace fredsim::trains {

void TrainFabric::start(int rank, const PacketSource& source) {
  sources_[rank].packets = source;
  meter_.calendar.add(source.creation(), rank);
}

void TrainFabric::step_source(int rank) {
  Source& source = sources_[rank];
  if (source.step_at == now_) source.step_at = kNever;
  while (source.is_due && meter_.offering) {
    std::uint32_t free = 0;
    for (int port = 0; port < source.ports; ++port)
      if (outputs_[source.first + static_cast<std::uint32_t>(port)].free_from <= now_)
        free |= 1U << port;
    if (free == 0) break;
    const std::uint32_t later = free >> source.next_port << source.next_port;
    const int port = std::countr_zero(later != 0 ? later : free);
    source.next_port = port + 1 == source.ports ? 0 : port + 1;
    start_packet(source, port);
    source.is_due = source.packets->creation() <= now_;
    if (!source.is_due) meter_.calendar.add(source.packets->creation(), rank);
  }
  if (source.is_due) wait_for_port(rank);
}

void TrainFabric::start_packet(Source& source, int port) {
  const std::uint64_t creation = source.packets->creation();
  const auto [destination, kind] = source.packets->take();
  if (creation >= meter_.window_begin && creation < meter_.window_end) {
    ++source.measured.packets;
    source.measured.flits += static_cast<std::uint64_t>(kind.flits);
  }
  meter_.flits_injected += static_cast<std::uint64_t>(kind.flits);

  const std::uint32_t number = new_train();
  Train& train = trains_[number];
  train.tag = static_cast<std::uint32_t>(creation);
  train.destination = addresses_.of_rank[static_cast<std::size_t>(destination)];
  train.flits = static_cast<std::uint8_t>(kind.flits);
  train.known = 0;
  train.latest = 0;

  Output& output = outputs_[source.first + static_cast<std::uint32_t>(port)];
  output.credits += static_cast<int>(output.to_come.take(output.counted, now_));
  output.counted = now_;
  output.train = number;
  output.flits = 0;
  output.pace.begin_train();
  place_flits(output);
  enter(output.input, number);
}

// Places flits of a port's packet in time, as far as credits are known. `counted` is the edge at
// which the next flit can leave at the earliest.
void TrainFabric::place_flits(Output& output) {
  Train& train = trains_[output.train];
  const auto pass = [&](Edge edge) {
    output.credits += static_cast<int>(output.to_come.take(output.counted, edge));
    output.counted = edge;
  };
  while (output.flits < train.flits) {
    if (output.credits == 0) {
      const Edge edge = output.to_come.next(output.counted);
      output.free_from = kNever;
      if (edge == kNever) return;
      pass(edge);
    }
    pass(output.pace.next_ready(output.counted));
    const Edge arrival = output.pace.take(output.counted);
    train.latest = std::max(train.latest, arrival - output.flits);
    train.arrivals[output.flits] = arrival;
    output.leaves[output.flits] = output.counted;
    ++output.flits;
    ++output.flits_taken;
    --output.credits;
    pass(output.counted + 1);
  }
  train.known = train.flits;
  output.train = kNone;
  free_port(output);
}

// Gives a port the credits of flits that leave the switch. The port's next flit may already have to
// wait longer than for them.
void TrainFabric::give_credits(Output& output, std::span<const Edge> leaves, Edge delay) {
  for (const Edge edge : leaves) {
    if (edge + delay <= output.counted) {
      ++output.credits;
    } else {
      output.to_come.add(edge + delay, 1);
    }
  }
  if (output.free_from != kNever) return;
  if (output.train != kNone) {
    place_flits(output);
  } else {
    free_port(output);
  }
  const int rank = rank_of_[output.node];
  if (output.free_from != kNever && sources_[rank].is_due) wait_for_port(rank);
}

// Sets when a port without a packet has a credit.
void TrainFabric::free_port(Output& output) const {
  output.free_from = output.credits > 0 ? output.counted : output.to_come.next(output.counted);
}

// Plans the next step of a source that has a packet.
void TrainFabric::wait_for_port(int rank) {
  Source& source = sources_[rank];
  if (!meter_.offering) return;
  Edge edge = kNever;
  for (int port = 0; port < source.ports; ++port)
    edge = std::min(edge, outputs_[source.first + static_cast<std::uint32_t>(port)].free_from);
  if (edge == kNever || edge >= source.step_at) return;
  source.step_at = edge;
  at(edge).sources.push_back(static_cast<std::uint32_t>(rank));
}

CreatedPackets TrainFabric::created_in_window() const {
  CreatedPackets created;
  for (const Source& source : sources_) {
    if (!source.packets) continue;
    const CreatedPackets of_source = with_waiting(source.measured, *source.packets, meter_);
    created.packets += of_source.packets;
    created.flits += of_source.flits;
  }
  return created;
}

}  // namespace fredsim::trains
