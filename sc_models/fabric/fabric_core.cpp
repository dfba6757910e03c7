#include "fabric/fabric_core.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>

#include "base/error.h"
#include "endpoint/packet_extension.h"

namespace fredsim {
namespace {

// The lowest bit of a stream tells the two directions of a tree apart; both are
// "the same" short tag.
constexpr std::uint32_t kDirectionBit = 1U << kIndexBits;

bool is_endpoint(const Node& node) {
  return node.kind == NodeKind::kNpu || node.kind == NodeKind::kIo;
}

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
  short_flits_.resize(places);
  int longest = 1;
  for (const Link& link : topology.links) {
    assert(link.latency >= 1 && link.rate.num >= 1 && link.rate.num <= link.rate.den);
    longest = std::max(longest, link.latency);
    const auto latency = static_cast<std::uint32_t>(link.latency);
    const std::uint32_t to_place = nodes_[link.to].first + static_cast<std::uint32_t>(link.to_port);
    outputs_[nodes_[link.from].first + static_cast<std::uint32_t>(link.from_port)] = {
        .num = link.rate.num,
        .den = link.rate.den,
        .to = static_cast<std::uint32_t>(link.to),
        .to_bit = 1U << link.to_port,
        .to_place = to_place,
        .latency = latency};
    inputs_[to_place] = {.from = static_cast<std::uint32_t>(link.from),
                         .from_bit = 1U << link.from_port,
                         .latency = latency};
  }
  const std::uint32_t slots = std::bit_ceil(static_cast<std::uint32_t>(longest) + 1);
  wheel_mask_ = slots - 1;
  arrivals_.resize(slots * nodes_.size());
  flit_words_.resize(slots * inputs_.size() * words_);
  awake_.resize((nodes_.size() + 63) / 64);
  list_.reserve(nodes_.size());
  due_.resize(slots * awake_.size());
}

int FabricCore::depth(NodeId receiver, int vc) const {
  const BufferShape& buffers = topology_.buffers;
  return is_endpoint(topology_.nodes[receiver]) ? buffers.receive_flits : buffers.depth(vc);
}

int FabricCore::receiver_depth(int link, int vc) const {
  return depth(topology_.links[link].to, vc);
}

void FabricCore::attach(NodeId node, SwitchCore& core) { nodes_[node].core = &core; }
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
  std::ranges::fill(arrivals_, Arrivals{});
  std::ranges::fill(due_, 0U);
  list_.clear();
  for (std::size_t node = 0; node < nodes_.size(); ++node) keep_awake(node);
  for (Input& in : inputs_) in.buffered = {};
  for (NodeState& node : nodes_) {
    assert(node.core != nullptr || node.endpoint != nullptr);
    node.ready = node.charging = 0;
    node.charged = 0;
    node.pins.in_valid = node.pins.out_valid = node.pins.out_ready = 0;
    node.pins.out_credit = node.pins.in_credit = {};
    node.pins.reg = {};
    if (node.core != nullptr) node.core->reset();
    if (node.endpoint != nullptr) node.endpoint->reset();
    const int ports = topology_.nodes[&node - nodes_.data()].ports;
    for (int port = 0; port < ports; ++port) {
      Output& out = outputs_[node.first + static_cast<std::uint32_t>(port)];
      out.held = out.den + out.num - 1;
      if (out.to_bit == 0) continue;
      node.ready |= 1U << port;
      for (int vc = 0; vc < kNumVcs; ++vc) {
        out.room[vc] = depth(static_cast<NodeId>(out.to), vc);
        if (node.endpoint != nullptr) node.endpoint->set_credits(port, vc, out.room[vc]);
      }
    }
  }
}

void FabricCore::access(NodeId node, const RegisterRequest& request) {
  assert(nodes_[node].core != nullptr && !nodes_[node].pins.reg.valid);
  nodes_[node].pins.reg = request;
  nodes_[node].pins.reg.valid = true;
  keep_awake(static_cast<std::size_t>(node));
}

void FabricCore::clear_counts() {
  for (Output& out : outputs_) out.flits = 0;
  std::ranges::fill(short_flits_, 0U);
  short_tag_ = ~0U;
  quiet_ = 0;
}

void FabricCore::set_short_tag(std::uint32_t tag) { short_tag_ = tag | kDirectionBit; }

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
  return {.flits = out.flits, .short_flits = short_flits_[&out - outputs_.data()]};
}

int FabricCore::buffered(NodeId node, int port, int vc) const {
  return inputs_[nodes_[node].first + static_cast<std::uint32_t>(port)].buffered[vc];
}

int FabricCore::outstanding(int link, int vc) const {
  return receiver_depth(link, vc) - output(link).room[vc];
}

// ---- one clock edge

void FabricCore::tick() {
  ++quiet_;
  finished_.clear();
  if (words_ == flit_words(1)) {
    step_nodes<flit_words(1)>();
  } else {
    step_nodes<0>();
  }
  slot_ = (slot_ + 1) & wheel_mask_;
  ++edge_;
}

template <int kWords>
void FabricCore::step_nodes() {
  Arrivals* const arrivals = &arrivals_[slot_ * nodes_.size()];
  std::uint64_t* const due = &due_[slot_ * awake_.size()];
  for (std::size_t word = 0; word < awake_.size(); ++word) {
    std::uint64_t left = awake_[word] | due[word];
    if (always_step_) {
      left = ~std::uint64_t{0} >> (word + 1 == awake_.size() ? -nodes_.size() % 64 : 0);
    }
    if (left == 0) continue;
    awake_[word] = due[word] = 0;
    for (; left != 0; left &= left - 1) {
      list_.push_back(static_cast<std::uint32_t>(word * 64) +
                      static_cast<std::uint32_t>(std::countr_zero(left)));
    }
  }
  steps_left_out_ += nodes_.size() - list_.size();
  for (const std::uint32_t node : list_) step_node<kWords>(nodes_[node], arrivals[node]);
  list_.clear();
}

template <int kWords>
void FabricCore::step_node(NodeState& node, Arrivals& now) {
  if (node.charging != 0) charge(node, edge_ - node.charged);
  node.charged = edge_;
  take_arrivals<kWords>(node, now);
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
  if (busy) keep_awake(static_cast<std::size_t>(&node - nodes_.data()));
  if (node.pins.out_valid != 0) launch_flits<kWords>(node);
  return_credits(node);
}

// What the accumulators gain in `edges` edges.
void FabricCore::charge(NodeState& node, std::uint64_t edges) {
  Output* const outputs = &outputs_[node.first];
  for (std::uint32_t left = node.charging; left != 0; left &= left - 1) {
    const int port = std::countr_zero(left);
    const std::uint32_t bit = 1U << port;
    Output& out = outputs[port];
    out.held += out.num * edges;
    if (out.held >= out.den) node.ready |= bit;
    if (out.held >= out.den + out.num - 1) {
      out.held = out.den + out.num - 1;
      node.charging &= ~bit;
    }
  }
}

template <int kWords>
void FabricCore::take_arrivals(NodeState& node, Arrivals& now) {
  const std::size_t words = kWords != 0 ? kWords : words_;
  const std::uint32_t* const flits = &flit_words_[(slot_ * inputs_.size() + node.first) * words];
  std::uint32_t* const in_flit = node.pins.in_flit.data();
  Input* const inputs = &inputs_[node.first];
  node.pins.in_valid = now.flits;
  node.pins.out_credit = now.credits;
  for (std::uint32_t left = now.flits; left != 0; left &= left - 1) {
    const auto port = static_cast<std::size_t>(std::countr_zero(left));
    const std::uint32_t* flit = flits + port * words;
    std::memcpy(in_flit + port * words, flit, words * sizeof *flit);
    ++inputs[port].buffered[vc_of(flit)];
    --flits_under_way_;
  }
  Output* const outputs = &outputs_[node.first];
  for (int vc = 0; vc < kNumVcs; ++vc) {
    for (std::uint32_t left = now.credits[vc]; left != 0; left &= left - 1) {
      ++outputs[std::countr_zero(left)].room[vc];
      --credits_under_way_;
    }
  }
  now = {};
}

template <int kWords>
void FabricCore::launch_flits(NodeState& node) {
  const std::size_t words = kWords != 0 ? kWords : words_;
  quiet_ = 0;
  if ((node.pins.out_valid & ~node.ready) != 0) {
    const int port = std::countr_zero(node.pins.out_valid & ~node.ready);
    fail(port_name(node, port) + " launched a flit although its link was not ready");
  }
  Output* const outputs = &outputs_[node.first];
  const std::uint32_t* const out_flit = node.pins.out_flit.data();
  for (std::uint32_t left = node.pins.out_valid; left != 0; left &= left - 1) {
    const auto port = static_cast<std::size_t>(std::countr_zero(left));
    Output& out = outputs[port];
    if (out.num != out.den) {
      out.held -= out.den;
      node.charging |= 1U << port;
      if (out.held < out.den) node.ready &= ~(1U << port);
    }
    const std::uint32_t* flit = out_flit + port * words;
    if (--out.room[vc_of(flit)] < 0) {
      fail(port_name(node, static_cast<int>(port)) + " launched a flit without a credit");
    }
    ++out.flits;
    if ((flit[0] | kDirectionBit) == short_tag_ && (flit[2] & kTailBit) != 0) {
      ++short_flits_[node.first + port];
    }
    const std::size_t slot = (slot_ + out.latency) & wheel_mask_;
    arrivals_[slot * nodes_.size() + out.to].flits |= out.to_bit;
    due(slot, out.to);
    std::memcpy(&flit_words_[(slot * inputs_.size() + out.to_place) * words], flit,
                words * sizeof *flit);
    ++flits_under_way_;
  }
}

void FabricCore::return_credits(NodeState& node) {
  Input* const inputs = &inputs_[node.first];
  for (int vc = 0; vc < kNumVcs; ++vc) {
    for (std::uint32_t left = node.pins.in_credit[vc]; left != 0; left &= left - 1) {
      const int port = std::countr_zero(left);
      Input& in = inputs[port];
      if (--in.buffered[vc] < 0) fail(port_name(node, port) + " returned a credit too many");
      const std::size_t slot = (slot_ + in.latency) & wheel_mask_;
      arrivals_[slot * nodes_.size() + in.from].credits[vc] |= in.from_bit;
      due(slot, in.from);
      ++credits_under_way_;
    }
  }
}

std::string FabricCore::port_name(const NodeState& node, int port) const {
  return fmt::format("{} port {}", topology_.nodes[&node - nodes_.data()].name, port);
}

void FabricCore::fail(const std::string& what) const {
  throw RunFailed(fmt::format("cycle {}: {}", edge_, what));
}

}  // namespace fredsim
