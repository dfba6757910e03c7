#include "fabric/fabric_core.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <functional>
#include <stdexcept>

#include "base/error.h"
#include "base/int128.h"
#include "base/port_mask.h"
#include "endpoint/packet_extension.h"
#include "switch/lockstep_switch.h"

namespace fredsim {
namespace {

// Serialisation beyond this is not in the wheel, which would be as long.
constexpr std::uint32_t kMostBeyondInWheel = 15;

}  // namespace

FabricCore::FabricCore(const Topology& topology, int lanes)
    : topology_(topology), words_(static_cast<std::size_t>(flit_words(lanes))) {
  std::uint32_t places = 0;
  nodes_.reserve(topology.nodes.size());
  for (const Node& node : topology.nodes) {
    assert(node.ports >= 1 && node.ports <= 32);
    nodes_.emplace_back(places, node.ports, lanes);
    places += static_cast<std::uint32_t>(node.ports);
  }
  outputs_.resize(places);
  inputs_.resize(places);
  missing_bytes_.resize(places);
  std::uint32_t longest = 1;
  for (const Link& link : topology.links) {
    assert(link.latency >= 1 && link.rate.num >= 1 && link.rate.num <= link.rate.den);
    const auto latency = static_cast<std::uint32_t>(link.latency);
    const auto beyond = static_cast<std::uint32_t>((link.rate.den - 1) / link.rate.num);
    if (beyond < kMostBeyondInWheel) {
      longest = std::max(longest, latency + (beyond == 0 ? 0 : kSlots * (beyond + 2)));
    } else {
      longest = std::max(longest, latency);
      serialising_words_.resize(kSlots * places * words_);
    }
    const std::uint32_t to_place = nodes_[link.to].first + static_cast<std::uint32_t>(link.to_port);
    outputs_[nodes_[link.from].first + static_cast<std::uint32_t>(link.from_port)] = {
        .num = static_cast<std::int64_t>(link.rate.num),
        .den = static_cast<std::int64_t>(link.rate.den),
        .ready_at = static_cast<std::int64_t>(link.rate.den),
        .to = static_cast<std::uint32_t>(link.to),
        .to_port = static_cast<std::uint16_t>(link.to_port),
        .to_endpoint = topology.nodes[link.to].is_endpoint(),
        .latency = latency,
        .beyond = beyond};
    inputs_[to_place] = {.from = static_cast<std::uint32_t>(link.from),
                         .from_port = static_cast<std::uint16_t>(link.from_port),
                         .latency = latency};
  }
  const std::uint32_t slots = std::bit_ceil(longest + 1);
  wheel_mask_ = slots - 1;
  const std::size_t links = topology.links.size();
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    wheel_.push_back(
        {List<std::uint32_t>(links * (kEntryHeader + words_)), List<Credit>(links * kNumVcs)});
  }
  if (!serialising_words_.empty()) serialising_.reserve(kSlots * links);
  for (int vc = 0; vc < kNumVcs; ++vc) {
    depths_[0][vc] = topology.buffers.depth(vc);
    depths_[1][vc] = topology.buffers.receive_flits;
  }
  awake_.resize((nodes_.size() + 63) / 64);
  list_.reserve(nodes_.size());
}

int FabricCore::receiver_depth(int link, int vc) const {
  return depths_[output(link).to_endpoint ? 1 : 0][vc];
}

void FabricCore::attach(NodeId node, SwitchCore& core) {
  NodeState& state = nodes_[node];
  state.core = &core;
  state.launch_edges = core.launch_edges();
  if (state.launch_edges < 0 || state.launch_edges > static_cast<int>(kMostLate)) {
    throw std::logic_error(fmt::format("{}: launch_edges() is {}; allowed: 0 to {}",
                                       topology_.nodes[node].name, state.launch_edges, kMostLate));
  }
  for (int port = 0; port < topology_.nodes[node].ports; ++port) {
    Output& out = outputs_[state.first + static_cast<std::uint32_t>(port)];
    out.ready_at = out.den - state.launch_edges * out.num;
  }
}
void FabricCore::attach(NodeId node, EndpointCore& core) {
  nodes_[node].endpoint = &core;
  core.set_waker(&awake_[static_cast<std::size_t>(node) / 64], std::uint64_t{1} << (node % 64));
}

void FabricCore::reset() {
  slot_ = 0;
  edge_ = steps_left_out_ = 0;
  flits_under_way_ = credits_under_way_ = 0;
  finished_.clear();
  clear_counts();
  for (Arrivals& slot : wheel_) {
    slot.flits.size = slot.credits.size = 0;
  }
  serialising_.clear();
  list_.clear();
  for (std::size_t node = 0; node < nodes_.size(); ++node) keep_awake(node);
  for (NodeState& node : nodes_) {
    assert(node.core != nullptr || node.endpoint != nullptr);
    node.ready = node.charging = 0;
    node.ready_before = {};
    node.charged = 0;
    node.pins.in_valid = node.pins.out_valid = node.pins.out_ready = 0;
    node.pins.out_credit = node.pins.in_credit = {};
    node.pins.reg = {};
    if (node.core != nullptr) node.core->reset();
    if (node.endpoint != nullptr) node.endpoint->reset();
    const int ports = topology_.nodes[&node - nodes_.data()].ports;
    for (int port = 0; port < ports; ++port) {
      Output& out = outputs_[node.first + static_cast<std::uint32_t>(port)];
      out.held = out.full();
      if (out.to == kNobody) continue;
      node.ready |= 1U << port;
      out.room = depths_[out.to_endpoint ? 1 : 0];
      for (int vc = 0; vc < kNumVcs && node.endpoint != nullptr; ++vc) {
        node.endpoint->set_credits(port, vc, out.room[vc]);
      }
    }
  }
}

void FabricCore::access(NodeId node, const RegisterRequest& request) {
  assert(nodes_[node].core != nullptr && !nodes_[node].pins.reg.valid);
  hand_over_credits(nodes_[node]);  // a register may tell them
  nodes_[node].pins.reg = request;
  ++accesses_;
  nodes_[node].pins.reg.valid = true;
  keep_awake(static_cast<std::size_t>(node));
}

void FabricCore::set_missing_bytes(std::size_t first,
                                   std::span<const std::uint16_t> by_stream_pair) {
  missing_of_.resize(std::max(missing_of_.size(), first + by_stream_pair.size()));
  std::ranges::copy(by_stream_pair, missing_of_.begin() + static_cast<std::ptrdiff_t>(first));
}

void FabricCore::clear_counts() {
  for (Output& out : outputs_) out.flits = 0;
  std::ranges::fill(missing_bytes_, 0U);
  missing_of_.clear();
  quiet_ = 0;
}

bool FabricCore::empty() const {
  return flits_under_way_ == 0 && credits_under_way_ == 0 &&
         std::ranges::all_of(nodes_, [](const NodeState& node) {
           return node.core != nullptr ? node.core->idle() : node.endpoint->empty();
         });
}

const FabricCore::Output& FabricCore::output(int link) const {
  const Link& l = topology_.links[link];
  return outputs_[nodes_[l.from].first + static_cast<std::uint32_t>(l.from_port)];
}

LinkCount FabricCore::count(int link) const {
  const Output& out = output(link);
  // Accumulators are brought up to date when their node steps.
  const std::uint64_t edges = edge_ - nodes_[topology_.links[link].from].charged;
  const auto gained = static_cast<Uint128>(static_cast<std::uint64_t>(out.num)) * edges;
  const auto lacking = static_cast<std::uint64_t>(out.num == out.den ? 0 : out.full() - out.held);
  const auto left = gained >= lacking ? 0 : lacking - static_cast<std::uint64_t>(gained);
  return {.flits = out.flits,
          .missing_bytes = missing_bytes_[&out - outputs_.data()],
          .sent = static_cast<double>(out.flits) -
                  static_cast<double>(left) / static_cast<double>(out.den)};
}

int FabricCore::buffered(NodeId node, int port, int vc) const {
  const Input& in = inputs_[nodes_[node].first + static_cast<std::uint32_t>(port)];
  if (in.from == kNobody) return 0;
  const Output& out = outputs_[nodes_[in.from].first + in.from_port];
  int flits = depths_[out.to_endpoint ? 1 : 0][vc] - out.room[vc];
  for (const Arrivals& slot : wheel_) {
    flits -= static_cast<int>(std::ranges::count_if(slot.credits, [&](const Credit& c) {
      return c.node == in.from && c.port == in.from_port && c.vc == vc;
    }));
    for (const std::uint32_t* entry = slot.flits.begin(); entry != slot.flits.end();
         entry += kEntryHeader + words_) {
      if (entry[0] == static_cast<std::uint32_t>(node) &&
          entry[1] == static_cast<std::uint32_t>(port) && vc_of(entry + kEntryHeader) == vc) {
        --flits;
      }
    }
  }
  for (const Serialising& flit : serialising_) {
    if (&outputs_[flit.slot / kSlots] == &out &&
        vc_of(&serialising_words_[flit.slot * words_]) == vc) {
      --flits;
    }
  }
  return flits;
}

int FabricCore::outstanding(int link, int vc) const {
  return receiver_depth(link, vc) - output(link).room[vc];
}

// ---- one clock edge

void FabricCore::tick() {
  ++quiet_;
  finished_.clear();
  if (!serialising_.empty()) end_serialising();
  try {
    if (words_ == flit_words(1)) {
      step_nodes<flit_words(1)>();
    } else {
      step_nodes<0>();
    }
  } catch (const LockstepDifference& difference) {
    throw LockstepDifference(difference, edge_);
  }
  slot_ = (slot_ + 1) & wheel_mask_;
  ++edge_;
}

template <int kWords>
void FabricCore::step_nodes() {
  take_credits(wheel_[slot_].credits);
  take_flits<kWords>(wheel_[slot_].flits);
  const std::size_t nodes = nodes_.size();
  for (std::size_t word = 0; word < awake_.size(); ++word) {
    std::uint64_t left = awake_[word];
    if (always_step_) {
      left = ~std::uint64_t{0} >> (word + 1 == awake_.size() ? -nodes % 64 : 0);
    }
    if (left == 0) continue;
    awake_[word] = 0;
    for (; left != 0; left &= left - 1) {
      list_.push_back(static_cast<std::uint32_t>(word * 64) +
                      static_cast<std::uint32_t>(std::countr_zero(left)));
    }
  }
  steps_left_out_ += nodes - list_.size();
  for (const std::uint32_t node : list_) step_node<kWords>(nodes_[node]);
  list_.clear();
}

template <int kWords>
void FabricCore::take_flits(List<std::uint32_t>& flits) {
  const std::size_t words = kWords != 0 ? kWords : words_;
  for (const std::uint32_t* entry = flits.begin(); entry != flits.end();
       entry += kEntryHeader + words) {
    const std::uint32_t port = entry[1];
    SwitchPins& pins = nodes_[entry[0]].pins;
    pins.in_valid |= 1U << port;
    std::memcpy(&pins.in_flit[port * words], entry + kEntryHeader, words * sizeof *entry);
    keep_awake(entry[0]);
    --flits_under_way_;
  }
  flits.size = 0;
}

void FabricCore::take_credits(List<Credit>& credits) {
  for (const Credit& credit : credits) {
    NodeState& node = nodes_[credit.node];
    Output& out = outputs_[node.first + credit.port];
    if (++out.room[credit.vc] > depths_[out.to_endpoint ? 1 : 0][credit.vc]) {
      fail(port_name(nodes_[out.to], out.to_port) + " returned a credit too many");
    }
    const std::uint32_t bit = 1U << credit.port;
    if ((node.pins.out_credit[credit.vc] & bit) != 0) hand_over_credits(node);  // an older one
    node.pins.out_credit[credit.vc] |= bit;
    if (node.endpoint != nullptr) keep_awake(credit.node);
  }
  credits_under_way_ -= static_cast<int>(credits.size);
  credits.size = 0;
}

// A step that takes in the credits that have waited for one; nothing else is at the pins.
void FabricCore::hand_over_credits(NodeState& node) {
  if (on_any_vc(node.pins.out_credit) == 0) return;
  node.pins.out_ready = 0;
  node.core->step(node.pins);
  node.pins.out_credit = {};
}

template <int kWords>
void FabricCore::step_node(NodeState& node) {
  if (node.charging != 0) charge(node, edge_ - node.charged);
  node.charged = edge_;
  std::shift_right(node.ready_before.begin(), node.ready_before.end(), 1);
  node.ready_before[0] = node.pins.out_ready;
  node.pins.out_ready = node.ready;
  bool busy = false;
  if (node.core != nullptr) {
    node.core->step(node.pins);
    busy = !node.core->idle();
    if (const std::uint32_t error = node.core->error(); error != 0) {
      fail(fmt::format("{} reports error {} (switch/register_map.h)",
                       topology_.nodes[&node - nodes_.data()].name, error));
    }
    if (node.pins.reg.valid) {
      node.pins.reg.valid = false;
      finished_.push_back(static_cast<NodeId>(&node - nodes_.data()));
    }
  } else {
    node.endpoint->step(node.pins);
    busy = !node.endpoint->idle();
  }
  node.pins.in_valid = 0;
  node.pins.out_credit = {};
  if (busy) keep_awake(static_cast<std::size_t>(&node - nodes_.data()));
  if (node.pins.out_valid != 0) launch_flits<kWords>(node);
  if (on_any_vc(node.pins.in_credit) != 0) return_credits(node);
}

// What the accumulators gain in `edges` edges.
void FabricCore::charge(NodeState& node, std::uint64_t edges) {
  Output* const outputs = &outputs_[node.first];
  for (std::uint32_t left = node.charging; left != 0; left &= left - 1) {
    const int port = std::countr_zero(left);
    const std::uint32_t bit = 1U << port;
    Output& out = outputs[port];
    // No more is lacking.
    out.held += out.num *
                std::min(static_cast<std::int64_t>(edges), kSlots * (std::int64_t{out.beyond} + 2));
    if (out.held >= out.ready_at) node.ready |= bit;
    if (out.held >= out.full()) {
      out.held = out.full();
      node.charging &= ~bit;
    }
  }
}

template <int kWords>
void FabricCore::launch_flits(NodeState& node) {
  const std::size_t words = kWords != 0 ? kWords : words_;
  quiet_ = 0;
  std::uint32_t ready = node.ready;
  for (int i = 0; i < node.launch_edges; ++i)
    ready |= node.ready_before[static_cast<std::size_t>(i)];
  if (const std::uint32_t wrong = node.pins.out_valid & ~ready; wrong != 0) {
    const int port = std::countr_zero(wrong);
    fail(port_name(node, port) + " launched a flit although its link was not ready");
  }
  Output* const outputs = &outputs_[node.first];
  const std::uint32_t* const out_flit = node.pins.out_flit.data();
  for (std::uint32_t left = node.pins.out_valid; left != 0; left &= left - 1) {
    const auto port = static_cast<std::size_t>(std::countr_zero(left));
    Output& out = outputs[port];
    const std::uint32_t beyond = out.num == out.den ? 0 : serialise(node, static_cast<int>(port));
    const std::uint32_t* flit = out_flit + port * words;
    if (--out.room[vc_of(flit)] < 0) {
      fail(port_name(node, static_cast<int>(port)) + " launched a flit without a credit");
    }
    ++out.flits;
    if ((flit[2] & kTailBit) != 0 && (flit[0] & kShortBit) != 0) {
      const std::uint32_t pair = flit[0] >> (kStreamShift + 1);
      if (pair < missing_of_.size()) missing_bytes_[node.first + port] += missing_of_[pair];
    }
    std::uint32_t* to = nullptr;
    if (out.beyond < kMostBeyondInWheel) {
      to = arrival(out, out.latency + beyond);
    } else {
      const auto slot = static_cast<std::uint32_t>(kSlots * (node.first + port) + out.next_slot);
      out.next_slot = static_cast<std::uint8_t>((out.next_slot + 1U) % kSlots);
      serialising_.push_back({edge_ + beyond, slot});
      std::ranges::push_heap(serialising_, std::greater{}, &Serialising::until);
      to = &serialising_words_[slot * words];
    }
    std::memcpy(to, flit, words * sizeof *flit);
    ++flits_under_way_;
  }
}

// Takes a launched flit into the serialiser: by how many cycles its end lies beyond the next edge,
// rounded up. That is (lacking - 1) / num, without the division.
std::uint32_t FabricCore::serialise(NodeState& node, int port) {
  Output& out = outputs_[node.first + static_cast<std::uint32_t>(port)];
  out.held -= out.den;
  node.charging |= 1U << port;
  if (out.held < out.ready_at) node.ready &= ~(1U << port);
  if (out.held < 0) return static_cast<std::uint32_t>((out.full() - out.held - 1) / out.num);
  return out.beyond + (out.held < out.den - 1 - std::int64_t{out.beyond} * out.num ? 1 : 0);
}

// Room for the words of a flit that is at the end of the link in so many cycles.
std::uint32_t* FabricCore::arrival(const Output& out, std::uint32_t cycles) {
  std::uint32_t* const entry =
      wheel_[(slot_ + cycles) & wheel_mask_].flits.grow(kEntryHeader + words_);
  entry[0] = out.to;
  entry[1] = out.to_port;
  return entry + kEntryHeader;
}

void FabricCore::end_serialising() {
  while (!serialising_.empty() && serialising_.front().until == edge_) {
    const std::uint32_t slot = serialising_.front().slot;
    std::ranges::pop_heap(serialising_, std::greater{}, &Serialising::until);
    serialising_.pop_back();
    const Output& out = outputs_[slot / kSlots];
    std::memcpy(arrival(out, out.latency), &serialising_words_[slot * words_],
                words_ * sizeof(std::uint32_t));
  }
}

void FabricCore::return_credits(NodeState& node) {
  const Input* const inputs = &inputs_[node.first];
  for (std::uint16_t vc = 0; vc < kNumVcs; ++vc) {
    for_each_port(node.pins.in_credit[vc], [&](int port) {
      const Input& in = inputs[port];
      if (in.from == kNobody) fail(port_name(node, port) + " returned a credit, but has no link");
      *wheel_[(slot_ + in.latency) & wheel_mask_].credits.grow(1) = {in.from, in.from_port, vc};
      ++credits_under_way_;
    });
  }
}

std::string FabricCore::port_name(const NodeState& node, int port) const {
  return fmt::format("{} port {}", topology_.nodes[&node - nodes_.data()].name, port);
}

void FabricCore::fail(const std::string& what) const {
  throw RunFailed(fmt::format("cycle {}: {}", edge_, what));
}

}  // namespace fredsim
