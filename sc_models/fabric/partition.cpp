#include "fabric/partition.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <utility>

#include "base/error.h"
#include "base/port_mask.h"
#include "base/random.h"
#include "fabric/links/retransmission/reliable_link.h"
#include "nic/packet_extension.h"
#include "switch/lockstep_switch.h"
#include "switch/switch_factory.h"

namespace fredsim {
namespace {

// Serialisation beyond this is not in the wheel, which would be as long.
constexpr std::uint32_t kMostBeyondInWheel = 15;

std::vector<FabricNode> nodes_of(const Topology& topology, const std::vector<NodePlace>& places,
                                 int index, int lanes) {
  std::vector<FabricNode> nodes;
  std::uint32_t ports = 0;
  for (NodeId id = 0; id < std::ssize(places); ++id) {
    if (places[id].partition != static_cast<std::uint32_t>(index)) continue;
    assert(places[id].node == nodes.size());
    const Node& node = topology.nodes[id];
    assert(node.ports >= 1 && node.ports <= kMaxPorts);
    nodes.emplace_back(id, ports, node.ports, lanes);
    ports += static_cast<std::uint32_t>(node.ports);
  }
  return nodes;
}

}  // namespace

Partition::Partition(const Topology& topology, const std::vector<NodePlace>& places, int index,
                     int partitions, int lanes)
    : topology_(topology),
      index_(static_cast<std::uint32_t>(index)),
      words_(static_cast<std::size_t>(flit_words(lanes))),
      nodes_(nodes_of(topology, places, index, lanes)),
      wheel_(make_wheel(places, index)),
      awake_(nodes_.size()),
      faulty_(words_) {
  for (auto& box : outboxes_) box.resize(static_cast<std::size_t>(partitions));
  const FabricNode& last = nodes_.back();
  outputs_.resize(last.first + static_cast<std::uint32_t>(last.ports));
  inputs_.resize(outputs_.size());
  add_links(places, index);
  written_.resize(nodes_.size());
}

LinkWheel Partition::make_wheel(const std::vector<NodePlace>& places, int index) const {
  std::uint32_t longest = 1;
  std::size_t arriving = 0, leaving = 0;
  for (const Link& link : topology_.links) {
    const bool is_to = places[link.to].partition == static_cast<std::uint32_t>(index);
    const bool is_from = places[link.from].partition == static_cast<std::uint32_t>(index);
    arriving += is_to ? 1 : 0;
    leaving += is_from ? 1 : 0;
    if (!is_to && !is_from) continue;
    const LinkTx shape(link, 0, {});
    const std::uint32_t beyond = shape.beyond();
    const bool is_in_wheel = beyond != 0 && !is_slow(shape);
    longest =
        std::max(longest, shape.latency() + (is_in_wheel ? LinkTx::kSlots * (beyond + 2) : 0));
  }
  return {longest, arriving, leaving, words_};
}

void Partition::add_links(const std::vector<NodePlace>& places, int index) {
  const auto here = static_cast<std::uint32_t>(index);
  std::size_t slow = 0;
  for (int l = 0; l < std::ssize(topology_.links); ++l) {
    const Link& link = topology_.links[l];
    const NodePlace from = places[link.from];
    const NodePlace to = places[link.to];
    if (from.partition == here) {
      LinkTx& tx = output(from.node, link.from_port);
      tx = LinkTx(link, l, depths_behind(topology_, link));
      tx.lead_to({to.node, static_cast<std::uint16_t>(link.to_port),
                  static_cast<std::uint16_t>(to.partition)});
      tx.set_special(to.partition != here || is_slow(tx));
      slow += is_slow(tx) ? 1 : 0;
      if (topology_.link_errors.retry && !link.on_die) {
        if (to.partition != here)
          throw std::logic_error("a link with retransmission between partitions");
        channels_.resize(outputs_.size());
        std::unique_ptr<LinkChannel>& channel =
            channels_[nodes_[from.node].first + static_cast<std::uint32_t>(link.from_port)];
        channel = std::make_unique<ReliableLink>(link, l, topology_.link_errors, words_);
        tx.set_channel(*channel);
        tx.set_special(true);
      }
    }
    if (to.partition == here) {
      inputs_[nodes_[to.node].first + static_cast<std::uint32_t>(link.to_port)] = {
          .sender = {from.node, static_cast<std::uint16_t>(link.from_port),
                     static_cast<std::uint16_t>(from.partition)},
          .latency = static_cast<std::uint32_t>(link.latency)};
    }
  }
  if (slow == 0) return;
  serialising_words_.resize(LinkTx::kSlots * outputs_.size() * words_);
  next_slot_.resize(outputs_.size());
  serialising_.reserve(LinkTx::kSlots * slow);
}

bool Partition::is_slow(const LinkTx& link) const { return link.beyond() >= kMostBeyondInWheel; }

void Partition::attach(std::uint32_t node, SwitchCore& core) {
  FabricNode& state = nodes_[node];
  const int launch_edges = core.launch_edges();
  if (launch_edges < 0 || launch_edges > LinkTx::kMostLate) {
    throw std::logic_error(fmt::format("{}: launch_edges() is {}; allowed: 0 to {}",
                                       topology_.nodes[state.id].name, launch_edges,
                                       LinkTx::kMostLate));
  }
  state.core = &core;
  state.has_rtl = rtl_inside(core) != nullptr;
  is_formed_ = false;
  groups_.clear();
  state.launch_edges = launch_edges;
  for (int port = 0; port < state.ports; ++port) output(node, port).set_launch_edges(launch_edges);
}

void Partition::attach(std::uint32_t node, EndpointCore& core) {
  nodes_[node].endpoint = &core;
  awake_.set_waker_of(node, core);
}

void Partition::set_faults(std::uint32_t node, int port, LinkFaults* faults) {
  LinkTx& link = output(node, port);
  link.set_faults(faults);
  link.set_special(faults != nullptr || link.has_channel() || link.target().partition != index_ ||
                   is_slow(link));
}

void Partition::reset() {
  edge_ = steps_left_out_ = 0;
  flits_under_way_ = credits_under_way_ = 0;
  finished_.clear();
  clear_counts();
  wheel_.reset();
  timers_.reset();
  has_put_ = {};
  for (auto& boxes : outboxes_) {
    for (Outbox& box : boxes) {
      box.flits.clear();
      box.credits.clear();
    }
  }
  serialising_.clear();
  for (const auto& link : channels_) {
    if (link != nullptr) link->reset();
  }
  active_links_.clear();
  in_group_ = false;
  awake_.wake_all();
  for (FabricNode& node : nodes_) node.reset(&outputs_[node.first]);
}

void Partition::access(std::uint32_t node, const RegisterRequest& request) {
  step_in_group(false);
  FabricNode& state = nodes_[node];
  assert(state.core != nullptr && !state.pins.reg.valid);
  state.hand_over_credits();  // a register may tell them
  state.pins.reg = request;
  if (request.write) note_write(node, request);
  state.pins.reg.valid = true;
  awake_.wake(node);
}

void Partition::note_write(std::uint32_t node, const RegisterRequest& request) {
  const auto hash = [&](std::uint32_t value) {
    return mix64(mix64(std::uint64_t{node} << 16 | request.address) + value);
  };
  const auto [known, is_new] = written_[node].try_emplace(request.address, request.wdata);
  if (!is_new) registers_ -= hash(std::exchange(known->second, request.wdata));
  registers_ += hash(request.wdata);
}

void Partition::set_missing_bytes(std::size_t first,
                                  std::span<const std::uint16_t> by_stream_pair) {
  missing_of_.resize(std::max(missing_of_.size(), first + by_stream_pair.size()));
  std::ranges::copy(by_stream_pair, missing_of_.begin() + static_cast<std::ptrdiff_t>(first));
}

void Partition::clear_counts() {
  for (LinkTx& link : outputs_) link.clear_counts();
  for (const auto& link : channels_) {
    if (link != nullptr) link->clear_counts();
  }
  clear_missing_bytes();
  for (auto& registers : written_) registers.clear();
  registers_ = 0;
  quiet_ = 0;
}

// ---- one clock edge

void Partition::tick() {
  ++quiet_;
  finished_.clear();
  if (!serialising_.empty()) end_serialising();
  if (!active_links_.empty()) step_channels();
  try {
    if (words_ == flit_words(1)) {
      step_nodes<flit_words(1)>();
    } else {
      step_nodes<0>();
    }
  } catch (const LockstepDifference& difference) {
    throw LockstepDifference(difference, edge_);
  }
  wheel_.turn();
  ++edge_;
}

template <int kWords>
void Partition::step_nodes() {
  take_credits(wheel_.credits());
  take_flits<kWords>(wheel_.flits());
  if (in_group_) {
    for (Group& group : groups_) step_group<kWords>(group);
  }
  if (always_step_) awake_.wake_all();
  if (switch_threads_ != nullptr) [[unlikely]]
    return step_nodes_by_threads<kWords>();
  std::size_t steps = 0;
  awake_.take([&](std::size_t node) {
    ++steps;
    step_node<kWords>(node);
  });
  steps_left_out_ += nodes_.size() - steps;
}

template <int kWords>
void Partition::step_nodes_by_threads() {
  std::size_t steps = 0;
  beside_.clear();
  awake_.take([&](std::size_t node) {
    ++steps;
    if (nodes_[node].has_rtl) {
      beside_.push_back(node);
    } else {
      step_node<kWords>(node);
    }
  });
  switch_threads_->run(beside_.size(),
                       [&](std::size_t i) { stepped_[i] = begin_step(beside_[i]); });
  for (std::size_t i = 0; i < beside_.size(); ++i) end_step<kWords>(beside_[i], stepped_[i]);
  steps_left_out_ += nodes_.size() - steps;
}

template <int kWords>
void Partition::take_flits(LinkWheel::Flits& flits) {
  const std::size_t words = kWords != 0 ? kWords : words_;
  for (const std::uint32_t* entry = flits.begin(); entry != flits.end();
       entry += LinkWheel::kHeader + words) {
    const InputPin to(entry[0]);
    FabricNode& node = nodes_[to.node()];
    if (node.is_in_group()) {
      groups_[node.group()].pins.in_flits.add(
          {node.member(), to.port(), entry + LinkWheel::kHeader});
      continue;
    }
    SwitchPins& pins = node.pins;
    pins.in_valid |= 1U << to.port();
    std::memcpy(&pins.in_flit[to.port() * words], entry + LinkWheel::kHeader,
                words * sizeof *entry);
    awake_.wake(to.node());
  }
  flits_under_way_ -= static_cast<int>(flits.size() / (LinkWheel::kHeader + words));
  flits.clear();  // its words stay until something is added
}

void Partition::take_credits(LinkWheel::Credits& credits) {
  for (const LinkWheel::Credit credit : credits) {
    FabricNode& node = nodes_[credit.node()];
    LinkTx& link = outputs_[node.first + credit.port()];
    if (!link.give_room(static_cast<int>(credit.vc()))) [[unlikely]] {
      const Link& owner = topology_.links[link.number()];
      fail(fmt::format("{} port {} returned a credit too many", topology_.nodes[owner.to].name,
                       owner.to_port));
    }
    if (node.is_in_group()) {
      groups_[node.group()].pins.out_credits.add({node.member(),
                                                  static_cast<std::uint16_t>(credit.port()),
                                                  static_cast<std::uint16_t>(credit.vc())});
    } else {
      take_credit(node, credit);
    }
  }
  credits_under_way_ -= static_cast<int>(credits.size());
  credits.clear();
}

void Partition::take_credit(FabricNode& node, LinkWheel::Credit credit) {
  const std::uint32_t bit = 1U << credit.port();
  std::uint32_t& at_pins = node.pins.out_credit[credit.vc()];
  if ((at_pins & bit) != 0) node.hand_over_credits();  // an older one
  at_pins |= bit;
  if (node.endpoint != nullptr) awake_.wake(credit.node());
}

template <int kWords>
[[gnu::always_inline]] inline void Partition::step_node(std::size_t number) {
  end_step<kWords>(number, begin_step(number));
}

// All that touches nothing but the node and its links.
[[gnu::always_inline]] inline SwitchCore::Stepped Partition::begin_step(std::size_t number) {
  FabricNode& node = nodes_[number];
  node.begin_step(&outputs_[node.first], edge_);
  return node.step();
}

template <int kWords>
[[gnu::always_inline]] inline void Partition::end_step(std::size_t number,
                                                       SwitchCore::Stepped stepped) {
  FabricNode& node = nodes_[number];
  if (stepped.error != 0) [[unlikely]]
    fail_by_error(node, stepped.error);
  if (node.pins.reg.valid) [[unlikely]]
    end_access(node);
  node.use_up_inputs();
  if (!stepped.idle) awake_.wake(number);
  if (node.pins.out_valid != 0) launch_flits<kWords>(node);
  if (on_any_vc(node.pins.in_credit) != 0) return_credits(node);
}

// ---- switches that step together

template <int kWords>
void Partition::step_group(Group& group) {
  SwitchGroup::Pins& pins = group.pins;
  if (!group.paced.empty()) look_at_paced(group);
  if (pins.in_flits.empty() && pins.out_credits.empty() && group.idle()) return;
  group.switches->step(pins);
  pins.in_flits.clear();
  pins.out_credits.clear();
  if (pins.error != 0) [[unlikely]]
    fail_by_error(nodes_[group.members[pins.error_node]], std::exchange(pins.error, 0));
  if (!pins.out_flits.empty()) quiet_ = 0;
  for (const SwitchGroup::Flit& flit : pins.out_flits) {
    FabricNode& node = nodes_[group.members[flit.node]];
    launch_flit<kWords>(node, flit.port, flit.words);
    if (!node.is_waiting()) continue;
    pins.out_ready[flit.node] = node.ready();
    if (std::ranges::find(group.paced, flit.node) == group.paced.end()) {
      group.paced.push_back(flit.node);
    }
  }
  for (const SwitchGroup::Credit& credit : pins.in_credits) {
    return_credit(nodes_[group.members[credit.node]], credit.port, credit.vc);
  }
}

// ---- what nodes show

void Partition::fail_by_error(const FabricNode& node, std::uint32_t error) const {
  fail(fmt::format("{} reports error {} (switch/register_map.h)", topology_.nodes[node.id].name,
                   error));
}

void Partition::end_access(FabricNode& node) {
  node.pins.reg.valid = false;
  finished_.push_back(node.id);
}

template <int kWords>
void Partition::launch_flits(FabricNode& node) {
  const std::size_t words = kWords != 0 ? kWords : words_;
  quiet_ = 0;
  if ((node.pins.out_valid & ~node.pins.out_ready) != 0) check_launch(node);
  for_each_port(node.pins.out_valid, [&](int port) {
    launch_flit<kWords>(node, static_cast<std::uint32_t>(port),
                        &node.pins.out_flit[static_cast<std::size_t>(port) * words]);
  });
}

template <int kWords>
[[gnu::always_inline]] inline void Partition::launch_flit(FabricNode& node, std::uint32_t port,
                                                          const std::uint32_t* flit) {
  const std::size_t words = kWords != 0 ? kWords : words_;
  LinkTx& link = outputs_[node.first + port];
  const std::uint32_t beyond = link.is_paced() ? node.serialise(link, port, flit, edge_) : 0;
  if (!link.take_room(vc_of(flit))) [[unlikely]] {
    fail(port_name(node, static_cast<int>(port)) + " launched a flit without a credit");
  }
  link.count_flit();
  if ((flit[0] & kShortBit) != 0 && (flit[2] & kTailBit) != 0) count_missing_bytes(link, flit);
  if (link.is_special()) [[unlikely]] {
    launch_special(link, beyond, node.first + port, flit);
    return;
  }
  std::memcpy(wheel_.add_flit(link.latency() + beyond, link.target_pin(), words), flit,
              words * sizeof *flit);
  ++flits_under_way_;
}

// For links that are not ready now, but may have been.
void Partition::check_launch(const FabricNode& node) const {
  const std::uint32_t wrong = node.pins.out_valid & ~node.may_launch();
  if (wrong == 0) return;
  fail(port_name(node, std::countr_zero(wrong)) +
       " launched a flit although its link was not ready");
}

void Partition::count_missing_bytes(LinkTx& link, const std::uint32_t* flit) const {
  const std::uint32_t pair = flit[0] >> (kStreamShift + 1);
  if (pair < missing_of_.size()) link.count_missing(missing_of_[pair]);
}

void Partition::return_credits(FabricNode& node) {
  for (std::uint32_t vc = 0; vc < kNumVcs; ++vc) {
    for_each_port(node.pins.in_credit[vc], [&](int port) { return_credit(node, port, vc); });
  }
}

[[gnu::always_inline]] inline void Partition::return_credit(const FabricNode& node, int port,
                                                            std::uint32_t vc) {
  const LinkRx& in = inputs_[node.first + static_cast<std::uint32_t>(port)];
  if (!in.exists()) [[unlikely]]
    fail(port_name(node, port) + " returned a credit, but has no link");
  const LinkWheel::Credit credit(in.sender.node, in.sender.port, vc);
  const std::size_t place = nodes_[in.sender.node].first + in.sender.port;
  if (LinkChannel* const link = channels_.empty() ? nullptr : channels_[place].get();
      link != nullptr) [[unlikely]] {
    link->give_credit(vc);
    activate(place);
  } else if (in.sender.partition != index_) [[unlikely]] {
    return_crossing(in, credit);
  } else {
    wheel_.add_credit(in.latency, credit);
  }
  ++credits_under_way_;
}

std::string Partition::port_name(const FabricNode& node, int port) const {
  return fmt::format("{} port {}", topology_.nodes[node.id].name, port);
}

void Partition::fail(const std::string& what) const {
  throw RunFailed(fmt::format("cycle {}: {}", edge_, what));
}

}  // namespace fredsim
