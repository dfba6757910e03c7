// SPDX-License-Identifier: Apache-2.0
#include "trace/packet_follower.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "base/error.h"
#include "base/port_mask.h"
#include "switch/node_shape.h"

namespace fredsim {
namespace {

constexpr std::size_t kRemembered = 256;
constexpr std::uint64_t kLongestWait = 100'000;  // cycles; endpoints forget a link's older states

}  // namespace

PacketFollower::PacketFollower(const FabricCore& core, const Topology& topology,
                               SwitchCores switches, int lanes)
    : core_(core), topology_(topology), switches_(switches), lanes_(lanes), stages_(topology) {
  std::size_t ports = 0;
  for (const Node& node : topology.nodes) {
    first_.push_back(ports);
    ports += static_cast<std::size_t>(node.ports);
  }
  ports_.resize(ports);
  remembered_.resize(topology.nodes.size());
  remember_.resize(topology.nodes.size());
}

void PacketFollower::begin() {
  const std::size_t ports = ports_.size();
  ports_.assign(ports, {});
  inputs_.assign(ports * kNumVcs, {});
  outputs_.assign(ports * kNumVcs, {});
  switch_states_.assign(topology_.nodes.size(), {});
  hops_.clear();
  free_hops_.clear();
  groups_.clear();
  free_groups_.clear();
  std::ranges::fill(remembered_, 0U);
  std::ranges::fill(remember_, kRemembered);
  for (NodeId id = 0; id < std::ssize(topology_.nodes); ++id) {
    const Node& node = topology_.nodes[id];
    if (node.is_endpoint()) continue;
    const SwitchShape shape = switch_shape(topology_, node, lanes_);
    Switch& state = switch_states_[id];
    if (shape.rtl_top.empty()) state.timing = kind_of(node).timing(shape);
    state.has_phases = switches_[id]->peek_phase(state.phase);
    state.phase_since = core_.edge();
  }
  for (int l = 0; l < std::ssize(topology_.links); ++l) {
    const Link& link = topology_.links[l];
    Port& port = ports_[place(link.from, link.from_port)];
    port.link_out = l;
    port.is_paced = link.rate.num != link.rate.den;
    const auto& timing = switch_states_[link.from].timing;
    for (int vc = 0; vc < kNumVcs; ++vc) {
      Output& out = output(link.from, link.from_port, vc);
      out.credits.reset(core_.receiver_depth(l, vc), timing ? timing->credit_edges : 0);
      out.staging.reset(timing ? timing->staging : 0, 1);
    }
  }
  look_at_arrivals(core_.edge());
}

void PacketFollower::load(std::span<const PhaseProgram> programs) {
  for (const PhaseProgram& program : programs) {
    const Node& node = topology_.nodes[program.node];
    auto& flows = switch_states_[program.node].flows;
    const auto phase = static_cast<std::size_t>(program.phase);
    if (flows.size() <= phase) flows.resize(phase + 1);
    flows[phase] = kind_of(node).phase_flows(switch_shape(topology_, node, lanes_), program.row);
  }
}

void PacketFollower::edge() {
  const std::uint64_t at = core_.edge() - 1;
  const auto words = static_cast<std::size_t>(flit_words(lanes_));
  for (NodeId id = 0; id < std::ssize(topology_.nodes); ++id) {
    const SwitchPins* const pins = core_.stepped(id, at);
    if (pins == nullptr) continue;
    look_at_links(id, *pins, at);
    if (topology_.nodes[id].is_endpoint()) {
      leave_endpoint(id, *pins, at);
    } else if (switch_states_[id].follows_credits()) {
      leave_switch(id, *pins, at);
    }
    for_each_port(pins->out_valid, [&](int port) {
      launch(id, port, unpack_header(&pins->out_flit[static_cast<std::size_t>(port) * words]), at);
    });
    if (switch_states_[id].has_phases) look_at_phase(id, at);
    if (remembered_[id] > remember_[id]) forget(id, at);
  }
  edge_done();
  look_at_arrivals(core_.edge());
}

void PacketFollower::look_at_links(NodeId node, const SwitchPins& pins, std::uint64_t at) {
  for (int port = 0; port < topology_.nodes[node].ports; ++port) {
    Port& p = ports_[place(node, port)];
    if (!p.is_paced || (pins.out_ready >> port & 1U) != 0) continue;
    p.link.busy(at);
    ++remembered_[node];
  }
}

// The phase is in use from the next edge on.
void PacketFollower::look_at_phase(NodeId node, std::uint64_t at) {
  Switch& state = switch_states_[node];
  SwitchPhase now;
  switches_[node]->peek_phase(now);
  const auto in_use = [](const SwitchPhase& p) { return p.active && !p.loading; };
  const SwitchPhase was = std::exchange(state.phase, now);
  if (in_use(was) && in_use(now) && was.phase == now.phase && was.vc == now.vc) return;
  state.phase_since = at + 1;
}

void PacketFollower::look_at_arrivals(std::uint64_t at) {
  core_.visit_credits([&](NodeId node, int port, int vc) {
    output(node, port, vc).credits.give(at);
    ++remembered_[node];
  });
  core_.visit_flits([&](NodeId node, int port) { arrive(node, port, at); });
}

void PacketFollower::arrive(NodeId node, int port, std::uint64_t at) {
  const OnLink flit = ports_[place(node, port)].arriving.pop();
  const FlitHeader& header = flit.header;
  if (header.head) hops_[flit.hop].end = at;
  Switch& state = switch_states_[node];
  const bool in_buffer = topology_.nodes[node].is_endpoint() || state.follows_credits();
  if (!in_buffer) {
    if (!header.head) return;
    state.waiting.push_back(
        {port, header.vc, {.hop = flit.hop, .header = header, .arrival = at, .hol = at}});
    return;
  }
  std::deque<Entry>& packets = input(node, port, header.vc).packets;
  if (header.head) {
    packets.push_back({.hop = flit.hop, .header = header, .arrival = at});
  } else if (packets.empty() || packets.back().has_tail ||
             packets.back().header.tag != header.tag) {
    fail(node, port, header, "has come without a first flit");
  }
  Entry& entry = packets.back();
  ++entry.arrived;
  if (!header.tail) return;
  entry.has_tail = true;
  entry.tail_arrival = at;
}

// ---- departures from the input buffers

void PacketFollower::leave_switch(NodeId node, const SwitchPins& pins, std::uint64_t at) {
  if (on_any_vc(pins.in_credit) == 0) return;
  left_.clear();
  heads_.clear();
  const auto to_leave = static_cast<std::uint64_t>(switch_states_[node].timing->to_leave);
  for (int vc = 0; vc < kNumVcs; ++vc) {
    for_each_port(pins.in_credit[vc], [&](int port) {
      Input& in = input(node, port, vc);
      if (in.packets.empty()) fail(node, port, {}, "has left a buffer that is empty");
      Entry& entry = in.packets.front();
      if (entry.left++ == 0) {
        entry.hol = std::max(entry.arrival + to_leave, in.next_hol);
        if (at < entry.hol) fail(node, port, entry.header, "has left its buffer too early");
        heads_.emplace_back(port, &entry);
      } else if (entry.leads) {
        groups_[entry.group].left.push_back(at);
      }
      in.next_hol = at + 1;
      left_.emplace_back(port, vc);
    });
  }
  group_heads(node, at);
  for (const auto& [port, vc] : left_) {
    std::deque<Entry>& packets = input(node, port, vc).packets;
    if (packets.front().has_tail && packets.front().left == packets.front().arrived) {
      packets.pop_front();
    }
  }
}

const Flow* PacketFollower::flow_of(const Switch& at, const FlitHeader& header,
                                    std::uint32_t inputs, std::uint32_t outputs) {
  if (header.phase == kPhaseOnline || header.phase >= at.flows.size()) return nullptr;
  const auto& flows = at.flows[header.phase];
  const auto found = std::ranges::find_if(flows, [&](const Flow& flow) {
    return (flow.inputs & inputs) == inputs && (flow.outputs & outputs) == outputs;
  });
  return found == flows.end() ? nullptr : &*found;
}

// Groups first flits of a flow that leave at the same edge.
void PacketFollower::group_heads(NodeId node, std::uint64_t at) {
  Switch& state = switch_states_[node];
  while (!heads_.empty()) {
    const auto [port, lead] = heads_.front();
    const Flow* const flow = flow_of(state, lead->header, 1U << port, 0);
    joined_.clear();
    std::erase_if(heads_, [&](const auto& head) {
      const bool joins =
          head.second == lead || (flow != nullptr && (flow->inputs >> head.first & 1U) != 0 &&
                                  head.second->header.vc == lead->header.vc &&
                                  head.second->header.phase == lead->header.phase);
      if (joins) joined_.push_back(head);
      return joins;
    });
    const std::uint32_t number = form_group(node, flow != nullptr ? flow->outputs : 0);
    Group& group = groups_[number];
    group.left_known = true;
    group.left.push_back(at);
    group.phase_until = flow == nullptr ? group.hol : std::clamp(state.phase_since, group.hol, at);
    state.groups.push_back(number);
  }
}

// Makes a group of the first flits in joined_. The path continues from the flit that was ready
// last.
std::uint32_t PacketFollower::form_group(NodeId node, std::uint32_t outputs) {
  const std::uint32_t number = new_group();
  Group& group = groups_[number];
  const auto& [port, last] =
      *std::ranges::max_element(joined_, {}, [](const auto& head) { return head.second->hol; });
  group.hop = last->hop;
  group.input = port;
  group.operands = static_cast<int>(joined_.size());
  group.header = last->header;
  group.outputs = outputs;
  group.tails_left = std::max(1, std::popcount(outputs));
  group.arrival = last->arrival;
  group.hol = group.phase_until = last->hol;
  for (const auto& [input, entry] : joined_) {
    entry->group = number;
    entry->leads = entry == last;
    if (joined_.size() > 1) {
      joined(stages_.switch_between(node, input, std::countr_zero(outputs)), entry->header,
             last->hol - entry->hol);
    }
    if (entry != last) let_go(entry->hop);
  }
  return number;
}

void PacketFollower::leave_endpoint(NodeId node, const SwitchPins& pins, std::uint64_t at) {
  for (int vc = 0; vc < kNumVcs; ++vc) {
    for_each_port(pins.in_credit[vc], [&](int port) {
      std::deque<Entry>& packets = input(node, port, vc).packets;
      if (packets.empty()) fail(node, port, {}, "has left a buffer that is empty");
      Entry& entry = packets.front();
      if (++entry.left < entry.arrived || !entry.has_tail) return;
      deliver(node, port, vc, at);
      packets.pop_front();
    });
  }
}

// ---- launches on the links

void PacketFollower::launch(NodeId node, int port, const FlitHeader& flit, std::uint64_t at) {
  OnLink on_link{.header = flit};
  if (topology_.nodes[node].is_switch()) {
    on_link.hop = launch_from_switch(node, port, flit, at);
  } else {
    Output& out = output(node, port, flit.vc);
    if (flit.head) on_link.hop = launch_from_endpoint(node, port, flit, at);
    out.next_hol = at + 1;
    out.credits.take(at);
    ++remembered_[node];
  }
  const Link& link = topology_.links[ports_[place(node, port)].link_out];
  ports_[place(link.to, link.to_port)].arriving.push(on_link);
}

std::uint32_t PacketFollower::launch_from_endpoint(NodeId node, int port, const FlitHeader& head,
                                                   std::uint64_t at) {
  const std::uint32_t number = new_hop();
  Hop& hop = hops_[number];
  hop.node = node;
  hop.link = ports_[place(node, port)].link_out;
  hop.stage = BreakdownStages::kSendingNic;
  hop.begin = handed_over(node, port, head);
  hop.launch = at;
  if (hop.begin > at) fail(node, port, head, "has left before it was handed over");
  const std::uint64_t hol = std::max(hop.begin, output(node, port, head.vc).next_hol);
  std::uint64_t able = hol;
  count(hop.cycles, DelayCause::kQueue) = hol - hop.begin;
  if (hol == hop.begin && at > hol) {
    able += handing_over();
    count(hop.cycles, DelayCause::kPipeline) = handing_over();
  }
  split(node, port, head.vc, able, at, Room::kOfReceiver, 1, hop);
  return number;
}

// Makes the hop of a first flit.
std::uint32_t PacketFollower::launch_from_switch(NodeId node, int port, const FlitHeader& flit,
                                                 std::uint64_t at) {
  const Switch& state = switch_states_[node];
  Output& out = output(node, port, flit.vc);
  std::uint32_t number = kNone;
  if (flit.head) {
    out.group = find_group(node, port, flit, at);
    out.flit = 0;
    number = new_hop();
    Hop& hop = hops_[number];
    const Group& group = groups_[out.group];
    hop.before = group.hop;
    hold(group.hop);
    hop.node = node;
    hop.link = ports_[place(node, port)].link_out;
    hop.stage = stages_.switch_between(node, group.input, port);
    hop.begin = group.arrival;
    hop.launch = at;
    explain(node, port, flit, group, hop);
  } else if (out.group == kNone) {
    fail(node, port, flit, "has come out without a first flit");
  }
  const Group& group = groups_[out.group];
  std::uint64_t decided = at - 1;
  if (group.left_known) {
    if (out.flit >= group.left.size()) fail(node, port, flit, "has come out before it left");
    const std::uint64_t left = group.left[out.flit];
    if (state.timing->staging > 0) {
      out.staging.take(left);
      out.staging.give(decided);
    } else {
      decided = left;
    }
  }
  ++out.flit;
  out.credits.take(decided);
  remembered_[node] += 3;
  if (!flit.tail) return number;
  const std::uint32_t done = std::exchange(out.group, kNone);
  if (--groups_[done].tails_left == 0) {
    let_go(groups_[done].hop);
    free_groups_.push_back(done);
  }
  return number;
}

// Group of an output's first flit: the oldest that fits.
std::uint32_t PacketFollower::find_group(NodeId node, int port, const FlitHeader& head,
                                         std::uint64_t at) {
  Switch& state = switch_states_[node];
  const std::uint32_t bit = 1U << port;
  const auto fits = [&](std::uint32_t number) {
    const Group& group = groups_[number];
    if (group.header.vc != head.vc || group.header.tag != head.tag) return false;
    if (group.outputs != 0) return (group.outputs & bit) != 0;
    return group.header.src == head.src && group.header.dst == head.dst &&
           (!group.left_known ||
            group.left.front() + static_cast<std::uint64_t>(state.timing->to_pins) <= at);
  };
  auto found = std::ranges::find_if(state.groups, fits);
  if (found == state.groups.end()) {
    const std::uint32_t gathered = gather(node, port, head);
    if (gathered == kNone) fail(node, port, head, "has come out, but not in");
    state.groups.push_back(gathered);
    found = state.groups.end() - 1;
  }
  const std::uint32_t number = *found;
  groups_[number].outputs &= ~bit;
  if (groups_[number].outputs == 0) state.groups.erase(found);
  return number;
}

// Finds the group among all arrivals, if credits do not show when flits leave.
std::uint32_t PacketFollower::gather(NodeId node, int port, const FlitHeader& head) {
  Switch& state = switch_states_[node];
  std::vector<Switch::Waiting> found;
  const Flow* flow = nullptr;
  for (const Switch::Waiting& waiting : state.waiting) {
    const FlitHeader& in = waiting.entry.header;
    if (in.vc != head.vc || in.tag != head.tag) continue;
    if (head.phase == kPhaseOnline && (in.src != head.src || in.dst != head.dst)) continue;
    const Flow* const of_this = flow_of(state, in, 1U << waiting.input, 1U << port);
    if (head.phase != kPhaseOnline && of_this == nullptr) continue;
    if (!found.empty() &&
        (of_this == nullptr || of_this != flow ||
         std::ranges::any_of(found, [&](const auto& f) { return f.input == waiting.input; }))) {
      continue;
    }
    flow = of_this;
    found.push_back(waiting);
  }
  if (found.empty()) return kNone;
  joined_.clear();
  for (Switch::Waiting& waiting : found) {
    std::erase_if(state.waiting, [&](const auto& w) { return w.entry.hop == waiting.entry.hop; });
    joined_.emplace_back(waiting.input, &waiting.entry);
  }
  return form_group(node, flow != nullptr ? flow->outputs : 0);
}

// ---- memory of history

std::uint32_t PacketFollower::new_hop() {
  if (free_hops_.empty()) {
    hops_.emplace_back();
    free_hops_.push_back(static_cast<std::uint32_t>(hops_.size() - 1));
  }
  const std::uint32_t number = free_hops_.back();
  free_hops_.pop_back();
  hops_[number] = {.users = 1};
  return number;
}

void PacketFollower::let_go(std::uint32_t number) {
  while (number != kNone && --hops_[number].users == 0) {
    free_hops_.push_back(number);
    number = hops_[number].before;
  }
}

std::uint32_t PacketFollower::new_group() {
  if (free_groups_.empty()) {
    groups_.emplace_back();
    free_groups_.push_back(static_cast<std::uint32_t>(groups_.size() - 1));
  }
  const std::uint32_t number = free_groups_.back();
  free_groups_.pop_back();
  std::vector<std::uint64_t> left = std::move(groups_[number].left);
  left.clear();
  groups_[number] = {};
  groups_[number].left = std::move(left);
  return number;
}

// Drops all history of a node before the oldest unexplained edge.
void PacketFollower::forget(NodeId node, std::uint64_t at) {
  const bool is_switch = topology_.nodes[node].is_switch();
  const int ports = topology_.nodes[node].ports;
  std::uint64_t oldest = at;
  const Switch& state = switch_states_[node];
  for (const std::uint32_t group : state.groups) {
    oldest = std::min(oldest, groups_[group].arrival);
  }
  for (const Switch::Waiting& w : state.waiting) oldest = std::min(oldest, w.entry.arrival);
  for (int port = 0; port < ports && is_switch; ++port) {
    for (int vc = 0; vc < kNumVcs; ++vc) {
      const std::deque<Entry>& packets = input(node, port, vc).packets;
      if (!packets.empty()) oldest = std::min(oldest, packets.front().arrival);
    }
  }
  std::size_t left = 0;
  for (int port = 0; port < ports; ++port) {
    std::uint64_t oldest_of_port = oldest;
    for (int vc = 0; vc < kNumVcs; ++vc) {
      Output& out = output(node, port, vc);
      const std::uint64_t edge = is_switch ? oldest : std::min(oldest, out.next_hol);
      oldest_of_port = std::min(oldest_of_port, edge);
      out.credits.forget_before(edge);
      out.staging.forget_before(edge);
      left += out.credits.size() + out.staging.size();
    }
    LinkHistory& link = ports_[place(node, port)].link;
    link.forget_before(std::max(oldest_of_port, at - std::min(at, kLongestWait)));
    left += link.size();
  }
  remembered_[node] = left;
  remember_[node] = std::max(kRemembered, 2 * left);
}

void PacketFollower::fail(NodeId node, int port, const FlitHeader& flit,
                          const std::string& what) const {
  throw RunFailed(fmt::format(
      "breakdown: {} port {}, cycle {}: the flit with tag {:#x} on VC {} {}",
      topology_.nodes[node].name, port, core_.edge(), flit.tag, kVcTitles[flit.vc], what));
}

}  // namespace fredsim
