// SPDX-License-Identifier: Apache-2.0
#include "fabric/partition.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "base/error.h"
#include "base/port_mask.h"
#include "switch/lockstep_switch.h"
#include "switch/switch_factory.h"

namespace fredsim {
namespace {

constexpr const char* kNoCredit = "launched a flit without a credit";
constexpr const char* kNoLink = "returned a credit, but has no link";

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
      words_(flit_words(lanes)),
      nodes_(nodes_of(topology, places, index, lanes)),
      links_(topology, places, static_cast<std::uint32_t>(index),
             static_cast<std::size_t>(partitions), static_cast<std::size_t>(words_)),
      awake_(nodes_.size()),
      group_(nodes_, awake_),
      registers_(nodes_.size()) {}

void Partition::attach(std::uint32_t node, SwitchCore& core) {
  FabricNode& state = nodes_[node];
  const int launch_edges = core.launch_edges();
  if (launch_edges < 0 || launch_edges > LinkTx::kMaxLate) {
    throw std::logic_error(fmt::format("{}: launch_edges() is {}; allowed: 0 to {}",
                                       topology_.nodes[state.id].name, launch_edges,
                                       LinkTx::kMaxLate));
  }
  state.core = &core;
  state.has_rtl = rtl_inside(core) != nullptr;
  group_.forget();
  state.launch_edges = launch_edges;
  for (int port = 0; port < state.ports; ++port)
    links_.output(node, port).set_launch_edges(launch_edges);
}

void Partition::attach(std::uint32_t node, EndpointCore& core) {
  nodes_[node].endpoint = &core;
  awake_.set_waker_of(node, core);
}

void Partition::set_switch_threads(int threads) {
  side_by_side_.threads.reset();
  if (threads > 1) side_by_side_.threads = std::make_unique<SwitchThreads>(threads, nodes_.size());
  side_by_side_.stepped.resize(nodes_.size());
}

void Partition::reset() {
  edge_ = steps_left_out_ = 0;
  finished_.clear();
  clear_counts();
  links_.reset();
  timers_.reset();
  group_.reset();
  awake_.wake_all();
  for (FabricNode& node : nodes_) node.reset(links_.outputs() + node.first);
}

void Partition::step_in_group(bool on) {
  if (on == group_.is_on()) return;
  if (!on) {
    group_.part(edge_);
  } else if (!always_step_) {
    group_.join();
  }
}

void Partition::access(std::uint32_t node, const RegisterRequest& request) {
  step_in_group(false);
  FabricNode& state = nodes_[node];
  assert(state.core != nullptr && !state.pins.reg.valid);
  state.hand_over_credits();  // a register access may read them
  state.pins.reg = request;
  if (request.write) registers_.note(node, request.address, request.wdata);
  state.pins.reg.valid = true;
  awake_.wake(node);
}

void Partition::clear_counts() {
  links_.clear_counts();
  registers_.clear();
  quiet_ = 0;
}

// ---- one clock edge

void Partition::tick() {
  ++quiet_;
  finished_.clear();
  if (links_.begin_edge(edge_)) quiet_ = 0;
  try {
    if (words_ == flit_words(1)) {
      step_nodes<flit_words(1)>();
    } else {
      step_nodes<0>();
    }
  } catch (const LockstepDifference& difference) {
    throw LockstepDifference(difference, edge_);
  }
  links_.end_edge();
  ++edge_;
}

template <int kWords>
void Partition::step_nodes() {
  take_arrivals<kWords>(LinkWheel::kAtEndpoints);
  if (group_.is_on()) {
    step_group<kWords>();
  } else {
    take_arrivals<kWords>(LinkWheel::kAtSwitches);
  }
  if (always_step_) awake_.wake_all();
  if (side_by_side_.threads != nullptr) [[unlikely]]
    return step_side_by_side<kWords>();
  std::size_t steps = 0;
  awake_.take([&](std::size_t node) {
    ++steps;
    end_step<kWords>(node, begin_step(node));
  });
  steps_left_out_ += nodes_.size() - steps;
}

template <int kWords>
void Partition::step_side_by_side() {
  std::size_t steps = 0;
  std::vector<std::size_t>& beside = side_by_side_.nodes;
  std::vector<SwitchCore::Stepped>& stepped = side_by_side_.stepped;
  beside.clear();
  awake_.take([&](std::size_t node) {
    ++steps;
    if (nodes_[node].has_rtl) {
      beside.push_back(node);
    } else {
      end_step<kWords>(node, begin_step(node));
    }
  });
  side_by_side_.threads->run(beside.size(),
                             [&](std::size_t i) { stepped[i] = begin_step(beside[i]); });
  for (std::size_t i = 0; i < beside.size(); ++i) end_step<kWords>(beside[i], stepped[i]);
  steps_left_out_ += nodes_.size() - steps;
}

template <int kWords>
[[gnu::always_inline]] inline void Partition::take_arrivals(LinkWheel::List list) {
  links_.take_credits(list, [&](LinkWheel::Credit credit) { take_credit(credit); });
  links_.take_flits<kWords>(list, [&](InputPin to, const std::uint32_t* flit) {
    const std::size_t words = static_cast<std::size_t>(kWords != 0 ? kWords : words_);
    SwitchPins& pins = nodes_[to.node()].pins;
    pins.in_valid |= 1U << to.port();
    std::memcpy(&pins.in_flit[to.port() * words], flit, words * sizeof *flit);
    awake_.wake(to.node());
  });
}

[[gnu::always_inline]] inline void Partition::give_room(LinkTx& link, std::uint32_t vc) const {
  if (!link.give_room(static_cast<int>(vc))) [[unlikely]]
    fail_by_credit(link);
}

[[gnu::always_inline]] inline void Partition::take_credit(LinkWheel::Credit credit) {
  FabricNode& node = nodes_[credit.node()];
  give_room(links_.outputs()[node.first + credit.port()], credit.vc());
  if (group_.is_on() && node.endpoint != nullptr &&
      node.endpoint->takes_credit(credit.port(), credit.vc()))
    return;
  const std::uint32_t bit = 1U << credit.port();
  std::uint32_t& at_pins = node.pins.out_credit[credit.vc()];
  if ((at_pins & bit) != 0) node.hand_over_credits();  // credits of an earlier edge
  at_pins |= bit;
  if (node.endpoint != nullptr) awake_.wake(credit.node());
}

// Touches nothing but the node and its links.
[[gnu::always_inline]] inline SwitchCore::Stepped Partition::begin_step(std::size_t number) {
  FabricNode& node = nodes_[number];
  node.begin_step(links_.outputs() + node.first, edge_);
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
  if (on_any_vc(node.pins.in_credit) == 0) return;
  for (std::uint32_t vc = 0; vc < kNumVcs; ++vc) {
    for_each_port(node.pins.in_credit[vc], [&](int port) { return_credit(node, port, vc); });
  }
}

// ---- switches that step together

template <int kWords>
void Partition::step_group() {
  SwitchGroup::Pins& pins = group_.pins();
  group_.look_at_paced(links_.outputs(), edge_);
  pins.in_flits = links_.flits_at(LinkWheel::kAtSwitches);
  pins.out_credits = links_.credits_at(LinkWheel::kAtSwitches);
  if (pins.in_flits.empty() && pins.out_credits.empty() && group_.idle()) return;
  for (const CreditPin credit : pins.out_credits)
    give_room(links_.outputs()[links_.place(credit.node(), static_cast<int>(credit.port()))],
              credit.vc());
  group_.switches().step(pins);
  links_.drop_credits(LinkWheel::kAtSwitches);
  links_.drop_flits(LinkWheel::kAtSwitches);
  if (pins.error != 0) [[unlikely]]
    fail_by_error(nodes_[pins.error_node], std::exchange(pins.error, 0));
  if (!pins.out_flits.empty()) quiet_ = 0;
  for (const SwitchGroup::Flit& flit : pins.out_flits) {
    const std::uint32_t place = links_.place(flit.node, static_cast<int>(flit.port));
    LinkTx& link = links_.outputs()[place];
    std::uint32_t beyond = 0;
    if (link.is_paced()) {
      FabricNode& node = nodes_[flit.node];
      beyond = node.serialise(link, flit.port, flit.words, edge_);
      if (node.is_waiting()) group_.note_paced(flit.node);
    }
    if (!link.take_room(vc_of(flit.words))) [[unlikely]]
      fail_at_port(nodes_[flit.node], static_cast<int>(flit.port), kNoCredit);
    links_.launch<kWords>(link, place, beyond, flit.words, edge_);
  }
  for (const SwitchGroup::Credit& credit : pins.in_credits) {
    if (!links_.return_credit(links_.place(credit.node, credit.port), credit.vc, edge_))
        [[unlikely]]
      fail_at_port(nodes_[credit.node], credit.port, kNoLink);
  }
}

// ---- errors and counts of nodes

void Partition::fail_by_error(const FabricNode& node, std::uint32_t error) const {
  fail(fmt::format("{} reports error {} (switch/register_map.h)", topology_.nodes[node.id].name,
                   error));
}

void Partition::fail_by_credit(const LinkTx& link) const {
  const Link& owner = topology_.links[link.number()];
  fail(fmt::format("{} port {} returned a credit too many", topology_.nodes[owner.to].name,
                   owner.to_port));
}

void Partition::end_access(FabricNode& node) {
  node.pins.reg.valid = false;
  finished_.push_back(node.id);
}

template <int kWords>
void Partition::launch_flits(FabricNode& node) {
  const std::size_t words = static_cast<std::size_t>(kWords != 0 ? kWords : words_);
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
  LinkTx& link = links_.outputs()[node.first + port];
  const std::uint32_t beyond = link.is_paced() ? node.serialise(link, port, flit, edge_) : 0;
  if (!link.take_room(vc_of(flit))) [[unlikely]]
    fail_at_port(node, static_cast<int>(port), kNoCredit);
  links_.launch<kWords>(link, node.first + port, beyond, flit, edge_);
}

// Checks launches on links that are not ready now, but may have been.
void Partition::check_launch(const FabricNode& node) const {
  const std::uint32_t wrong = node.pins.out_valid & ~node.may_launch();
  if (wrong == 0) return;
  fail_at_port(node, std::countr_zero(wrong), "launched a flit although its link was not ready");
}

[[gnu::always_inline]] inline void Partition::return_credit(const FabricNode& node, int port,
                                                            std::uint32_t vc) {
  if (!links_.return_credit(node.first + static_cast<std::uint32_t>(port), vc, edge_)) [[unlikely]]
    fail_at_port(node, port, kNoLink);
}

void Partition::fail_at_port(const FabricNode& node, int port, const std::string& what) const {
  fail(fmt::format("{} port {} {}", topology_.nodes[node.id].name, port, what));
}

void Partition::fail(const std::string& what) const {
  throw RunFailed(fmt::format("cycle {}: {}", edge_, what));
}

// ---- between two edges

bool Partition::all_idle() const {
  return group_.idle() && std::ranges::all_of(nodes_, [](const FabricNode& node) {
           return node.is_in_group() || node.is_idle();
         });
}

void Partition::rest(std::uint64_t edges) {
  links_.rest(edges);
  timers_.rest(edges);
  edge_ += edges;
  quiet_ += edges;
  steps_left_out_ += edges * nodes_.size();
  finished_.clear();
}

bool Partition::add_state(StateDigest& digest) const {
  if (!links_.add_state(digest, edge_)) return false;
  digest.add_all(awake_.words());
  digest.add(registers_.digest());
  return std::ranges::all_of(nodes_,
                             [&](const FabricNode& node) { return node.add_state(digest); });
}

void Partition::skip(std::uint64_t edges) {
  edge_ += edges;
  timers_.skip(edges);
  for (FabricNode& node : nodes_) node.skip(edges);
  links_.skip(edges);
}

}  // namespace fredsim
