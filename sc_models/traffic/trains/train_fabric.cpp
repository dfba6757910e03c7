// SPDX-License-Identifier: Apache-2.0
#include "traffic/trains/train_fabric.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "links/link.h"
#include "switch/node_shape.h"
#include "switch/switch_kind.h"

namespace fredsim::trains {
namespace {

constexpr int kVc = kDp;

// Links that packets between NPUs use.
bool is_used(const Topology& topology, const Link& link) {
  const auto is_between = [&](NodeId id) {
    const NodeKind kind = topology.nodes[id].kind;
    return kind == NodeKind::kNpu || kind == NodeKind::kSwitch;
  };
  return is_between(link.from) && is_between(link.to);
}

// Longest latency, and longest time of a flit on its link beyond one cycle, of the links in use.
struct Slowest {
  std::uint64_t latency = 0, beyond = 0;
};
Slowest slowest(const Topology& topology) {
  Slowest max;
  for (const Link& link : topology.links) {
    if (!is_used(topology, link)) continue;
    max.latency = std::max(max.latency, static_cast<std::uint64_t>(link.latency));
    max.beyond = std::max(max.beyond, (link.flit_rate().den - 1) / link.flit_rate().num);
  }
  return max;
}

// Edges after which the last flit of a train has arrived at the latest: it may wait for the credits
// of the train before it, and for its link flit by flit; every further hop may add an edge or two.
std::uint64_t edges_ahead(const Topology& topology, int longest) {
  const auto [latency, beyond] = slowest(topology);
  const auto flits = static_cast<std::uint64_t>(longest);
  const auto hops = static_cast<std::uint64_t>(topology.grid.width + topology.grid.height);
  return 3 * latency + (2 * flits + LinkTx::kSlots) * (beyond + 2) + 2 * hops;
}

}  // namespace

bool TrainFabric::can_move(const Topology& topology, SwitchCores switches, int longest) {
  if (topology.paths != nullptr || topology.failed.any() || topology.one_way) return false;
  for (std::size_t id = 0; id < topology.nodes.size(); ++id)
    if (topology.nodes[id].is_switch() && switches[id]->cut_through() == nullptr) return false;
  const auto fits = [&](const Link& link) {
    return !is_used(topology, link) ||
           (link.burst == 0 && link.policy == nullptr && LinkPace::can_pace(link) &&
            depths_behind(topology, link)[kVc] >= longest);
  };
  return std::ranges::all_of(topology.links, fits) && 2 * edges_ahead(topology, longest) <= kEdges;
}

TrainFabric::TrainFabric(const Topology& topology, SwitchCores switches,
                         const NodeAddresses& addresses, TrafficMeter& meter, int longest)
    : topology_(topology),
      addresses_(addresses),
      meter_(meter),
      sources_(topology.npus.size()),
      rank_of_(topology.nodes.size(), -1),
      events_(kEdges) {
  const auto [latency, beyond] = slowest(topology);
  const auto flits = static_cast<std::uint64_t>(longest);
  ahead_ = static_cast<Edge>(latency + (flits + LinkTx::kSlots) * (beyond + 2));
  add_nodes(switches);
  for (const Link& link : topology.links)
    if (is_used(topology, link)) add_link(link);
}

void TrainFabric::add_nodes(SwitchCores switches) {
  std::uint32_t ports = 0;
  for (std::size_t id = 0; id < topology_.nodes.size(); ++id) {
    const fredsim::Node& node = topology_.nodes[id];
    Node own{.first = ports, .ports = static_cast<std::uint8_t>(node.ports)};
    if (node.is_switch()) {
      const auto timing = kind_of(node).timing(switch_shape(topology_, node, 1));
      own.cut_through = switches[id]->cut_through();
      own.to_leave = static_cast<std::uint32_t>(timing.value().to_leave);
    }
    nodes_.push_back(own);
    ports += static_cast<std::uint32_t>(node.ports);
  }
  for (std::size_t rank = 0; rank < sources_.size(); ++rank) {
    const NodeId npu = topology_.npus[rank];
    rank_of_[npu] = static_cast<int>(rank);
    sources_[rank].first = nodes_[npu].first;
    sources_[rank].ports = topology_.nodes[npu].ports;
  }
  outputs_.resize(ports);
  inputs_.resize(ports);
}

void TrainFabric::add_link(const Link& link) {
  const fredsim::Node& from = topology_.nodes[link.from];
  const std::uint32_t out = nodes_[link.from].first + static_cast<std::uint32_t>(link.from_port);
  const std::uint32_t in = nodes_[link.to].first + static_cast<std::uint32_t>(link.to_port);
  SwitchTiming timing;
  if (from.is_switch()) timing = kind_of(from).timing(switch_shape(topology_, from, 1)).value();
  Output& output = outputs_[out];
  output.input = in;
  output.node = static_cast<std::uint32_t>(link.from);
  output.pace = LinkPace(link, static_cast<std::uint32_t>(timing.to_pins));
  output.depth = depths_behind(topology_, link)[kVc];
  inputs_[in] = {.sender = out,
                 .credit_delay = static_cast<std::uint32_t>(link.latency + timing.credit_edges),
                 .node = static_cast<std::uint32_t>(link.to),
                 .port = static_cast<std::uint8_t>(link.to_port)};
}

void TrainFabric::reset() {
  now_ = end_ = 0;
  trains_.clear();
  free_ = kNone;
  trains_in_flight_ = 0;
  consumed_ = {};
  for (Events& events : events_) {
    events.requests = events.grants = events.tails = kNone;
    events.sources.clear();
    events.places.clear();
    events.looks.clear();
  }
  to_place_.clear();
  for (Source& source : sources_) {
    source.packets.reset();
    source.measured = {};
    source.next_port = 0;
    source.is_due = false;
    source.step_at = kNever;
  }
  for (Input& input : inputs_) {
    input.first = input.last = kNone;
    input.free_from = 0;
  }
  for (Node& node : nodes_) {
    node.stalls = {};
    node.late = {};
  }
  for (std::uint32_t out = 0; out < outputs_.size(); ++out) {
    Output& output = outputs_[out];
    if (output.input == kNone) continue;
    const Node& node = nodes_[output.node];
    const int port = static_cast<int>(out - node.first);
    output.to_come.clear();
    output.credits = node.cut_through != nullptr ? node.cut_through->room(kVc, port) : output.depth;
    output.need = node.cut_through != nullptr
                      ? static_cast<std::uint32_t>(node.cut_through->packet_room(kVc, port))
                      : 1;
    output.counted = output.free_from = 0;
    output.waiting = 0;
    output.turn = output.flits = output.left = 0;
    output.look = Look::kNone;
    output.is_blocked = false;
    output.train = output.from = kNone;
    const int onward = node.cut_through != nullptr ? node.cut_through->onward_input(port) : -1;
    output.onward = onward < 0 ? 0 : 1U << onward;
    output.look_edge = kNever;
    output.is_listed = false;
    output.is_put_off = false;
    output.pace.reset();
    output.flits_taken = 0;
  }
}

// ---- events

void TrainFabric::fail_ahead(Edge edge) const {
  throw std::logic_error(fmt::format("an event {} edges ahead", edge - now_));
}

void TrainFabric::advance(std::uint64_t edges) {
  end_ = now_ + static_cast<Edge>(edges);
  for (; now_ != end_; ++now_) run_edge();
  meter_.now = now_;
}

void TrainFabric::run_edge() {
  Events& events = events_[now_ % kEdges];
  meter_.now = now_;
  meter_.calendar.remove_due(now_, [&](int rank) {
    sources_[rank].is_due = true;
    events.sources.push_back(static_cast<std::uint32_t>(rank));
  });
  if (!events.sources.empty()) {
    for (const std::uint32_t rank : events.sources) step_source(static_cast<int>(rank));
    events.sources.clear();
  }
  if (!events.places.empty()) {
    for (const std::uint32_t output : events.places) {
      outputs_[output].is_put_off = false;
      to_place_.push_back(output);
    }
    events.places.clear();
    place_all();
  }
  for (std::uint32_t input = std::exchange(events.requests, kNone); input != kNone;) {
    const std::uint32_t next = inputs_[input].next;
    request(input);
    input = next;
  }
  for (std::uint32_t output = std::exchange(events.grants, kNone); output != kNone;) {
    Output& out = outputs_[output];
    const std::uint32_t next = out.next;
    out.is_listed = false;
    if (out.look == Look::kPlanned && out.look_edge == now_) look_at(output);
    output = next;
  }
  if (!events.looks.empty()) [[unlikely]] {
    for (const std::uint32_t output : events.looks) {
      const Output& out = outputs_[output];
      if (out.look == Look::kPlanned && out.look_edge == now_) look_at(output);
    }
    events.looks.clear();
  }
  for (std::uint32_t train = std::exchange(events.tails, kNone); train != kNone;) {
    const std::uint32_t next = trains_[train].next;
    deliver(train);
    train = next;
  }
  const std::uint32_t consumed = std::exchange(consumed_[now_ % kEdges], 0);
  meter_.flits_consumed += consumed;
  if (now_ >= meter_.window_begin && now_ < meter_.window_end) meter_.window_flits += consumed;
}

std::uint32_t TrainFabric::new_train() {
  ++trains_in_flight_;
  if (free_ == kNone) {
    trains_.emplace_back();
    return static_cast<std::uint32_t>(trains_.size() - 1);
  }
  return std::exchange(free_, trains_[free_].next);
}

// ---- switches

[[gnu::always_inline]] inline void TrainFabric::request(std::uint32_t input) {
  const Input& in = inputs_[input];
  const Node& node = nodes_[in.node];
  const int port = node.cut_through->route(in.port, trains_[in.first].destination);
  if (port < 0) throw std::logic_error("a train without a route");
  const std::uint32_t number = node.first + static_cast<std::uint32_t>(port);
  Output& output = outputs_[number];
  catch_up(output, now_);
  const std::uint32_t bit = 1U << in.port;
  output.waiting |= bit;
  if (output.free_from == kNever) return;
  const Edge edge = std::max(output.free_from, now_);
  const bool is_earlier = output.look == Look::kForCredits || output.look_edge > edge;
  if (output.look == Look::kNone || ((output.onward & bit) != 0 && is_earlier))
    plan_look(number, edge);
}

// Plans the next look at an output that lacks credits; it is caught up with the current edge.
void TrainFabric::plan_by_credits(std::uint32_t output) {
  Output& out = outputs_[output];
  const std::uint32_t need = out.onward == 0                   ? out.need
                             : (out.waiting & out.onward) != 0 ? 1
                                                               : out.need + 1;
  const auto lacking = static_cast<std::uint32_t>(static_cast<int>(need) - out.credits);
  const Edge edge = out.to_come.next(now_, lacking);
  if (edge == kNever) {
    out.look = Look::kForCredits;
  } else {
    plan_look(output, edge);
  }
}

void TrainFabric::look_at(std::uint32_t output) {
  Output& out = outputs_[output];
  catch_up(out, now_);
  const std::uint32_t ports = may_start(out);
  if (ports == 0) {
    plan_by_credits(output);
  } else if (!out.pace.is_ready(now_)) {
    plan_look(output, out.pace.next_ready(now_ + 1));
  } else {
    grant(output, ports);
  }
}

// Grants an output to one of the input ports that may start a packet.
[[gnu::always_inline]] inline void TrainFabric::grant(std::uint32_t output, std::uint32_t ports) {
  Output& out = outputs_[output];
  const Node& node = nodes_[out.node];
  const std::uint32_t in_turn = ports >> out.turn << out.turn;
  const auto port = static_cast<std::uint32_t>(std::countr_zero(in_turn != 0 ? in_turn : ports));
  out.turn = static_cast<std::uint8_t>(port + 1 == node.ports ? 0 : port + 1);
  out.waiting &= ~(1U << port);

  const std::uint32_t input = node.first + port;
  Input& in = inputs_[input];
  const std::uint32_t train = in.first;
  in.first = trains_[train].next;
  out.look = Look::kNone;
  leave(out, in, train);
  enter_next(out, train);
  if (out.train == kNone) {
    if (in.first != kNone) plan_request(input);
    if (out.waiting != 0) plan_look(output, out.free_from);
  }
  if (!to_place_.empty()) place_all();
}

// Computes when each flit of a granted train leaves and arrives, and when its credit is back.
void TrainFabric::leave(Output& out, Input& in, std::uint32_t number) {
  Train& train = trains_[number];
  if (train.known != train.flits) throw std::logic_error("a train that is not all known leaves");
  const std::uint32_t flits = train.flits;
  const std::uint32_t to_leave = nodes_[out.node].to_leave;
  out.pace.begin_train();
  out.left = 0;
  if (flits == 1) {
    leave_alone(out, in, train);
    return;
  }
  if (out.onward != 0 && out.credits < static_cast<int>(flits)) {
    leave_in_ring(out, static_cast<std::uint32_t>(&in - inputs_.data()), number);
    return;
  }
  out.flits = train.flits;
  out.flits_taken += flits;
  const Edge first = train.latest + to_leave <= now_ ? out.pace.take_run(now_, flits) : kNever;
  if (first != kNever) {
    for (std::uint32_t i = 0; i < kPacketFlits; ++i) {
      out.leaves[i] = now_ + i;
      train.arrivals[i] = first + i;
    }
    train.latest = first;
    return_credits(in, {out.leaves.data(), flits}, true);
  } else {
    Edge edge = now_;
    train.latest = 0;
    for (std::uint32_t i = 0; i < flits; ++i) {
      const Edge ready = i == 0 ? now_ : std::max(train.arrivals[i] + to_leave, edge + 1);
      edge = out.pace.next_ready(ready);
      out.leaves[i] = edge;
      out.blocked[i] = edge - ready;
      out.is_blocked |= edge != ready;
      train.arrivals[i] = out.pace.take(edge);
      train.latest = std::max(train.latest, train.arrivals[i] - i);
    }
    return_credits(in, {out.leaves.data(), flits}, false);
  }
  in.free_from = out.free_from = out.leaves[flits - 1] + 1;
}

// Case of a train of one flit: nothing but its link could have kept it, and the link is ready.
[[gnu::always_inline]] inline void TrainFabric::leave_alone(Output& out, Input& in, Train& train) {
  out.flits = 1;
  ++out.flits_taken;
  out.leaves[0] = now_;
  train.latest = train.arrivals[0] = out.pace.take(now_);
  in.free_from = out.free_from = now_ + 1;

  Output& sender = outputs_[in.sender];
  refresh(sender);
  if (nodes_[sender.node].cut_through == nullptr) {
    give_credits(sender, {out.leaves.data(), 1}, in.credit_delay);
    return;
  }
  sender.to_come.add_one(now_ + in.credit_delay);
  after_credits(in.sender);
}

// Gives the sender of an input the credits of flits that leave it.
void TrainFabric::return_credits(const Input& in, std::span<const Edge> leaves, bool is_run) {
  Output& sender = outputs_[in.sender];
  refresh(sender);
  if (nodes_[sender.node].cut_through == nullptr) {
    give_credits(sender, leaves, in.credit_delay);
    return;
  }
  if (is_run) {
    sender.to_come.add(leaves[0] + in.credit_delay, static_cast<std::uint32_t>(leaves.size()));
  } else {
    for (const Edge edge : leaves) sender.to_come.add(edge + in.credit_delay, 1);
  }
  after_credits(in.sender);
}

// Plans what an output of a switch may do with credits that have become known.
void TrainFabric::after_credits(std::uint32_t output) {
  Output& out = outputs_[output];
  if (out.train != kNone) to_place_.push_back(output);
  if (out.look != Look::kForCredits) return;
  catch_up(out, now_);
  plan_by_credits(output);
}

// Takes past credits of an output that nobody has looked at for long: those in its CreditTimes are
// of kEdges edges.
void TrainFabric::take_past_credits(Output& output) {
  if (nodes_[output.node].cut_through != nullptr) {
    catch_up(output, now_);
  } else {
    output.credits += static_cast<int>(output.to_come.take(output.counted, now_));
    output.counted = now_;
  }
}

// Passes a granted train on to the other end of its link. An NPU consumes it at once.
[[gnu::always_inline]] inline void TrainFabric::enter_next(Output& out, std::uint32_t number) {
  const Input& in = inputs_[out.input];
  if (nodes_[in.node].cut_through != nullptr) {
    enter(out.input, number);
    return;
  }
  Train& train = trains_[number];
  const std::span<const Edge> arrivals(train.arrivals.data(), train.flits);
  for (const Edge edge : arrivals) {
    ++consumed_[edge % kEdges];
    out.to_come.add(edge + in.credit_delay, 1);
  }
  train.next = std::exchange(at(arrivals.back()).tails, number);
}

void TrainFabric::deliver(std::uint32_t train) {
  const std::uint32_t latency = now_ - trains_[train].tag;
  const std::uint64_t creation = now_ - latency;
  if (creation >= meter_.window_begin && creation < meter_.window_end) meter_.latency.add(latency);
  free_train(train);
}

}  // namespace fredsim::trains
