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

// One lane per flit is the normal case on a whole wafer, and four words are not
// worth a library call.
void copy_flit(std::uint32_t* to, const std::uint32_t* from, int words) {
  constexpr int kOneLane = flit_words(1);
  if (words == kOneLane) {
    std::memcpy(to, from, kOneLane * sizeof *to);
  } else {
    std::memcpy(to, from, static_cast<std::size_t>(words) * sizeof *to);
  }
}

}  // namespace

FabricCore::FabricCore(const Topology& topology, int lanes)
    : topology_(topology), words_(flit_words(lanes)), counts_(topology.links.size()) {
  int longest = 1;
  for (const Link& link : topology.links) longest = std::max(longest, link.latency);
  const std::uint32_t slots = std::bit_ceil(static_cast<std::uint32_t>(longest) + 1);
  wheel_mask_ = slots - 1;
  nodes_.reserve(topology.nodes.size());
  for (const Node& n : topology.nodes) {
    assert(n.ports >= 1 && n.ports <= 32);
    NodeState& node = nodes_.emplace_back(n.ports, lanes);
    node.arrivals.resize(slots);
    node.outputs.resize(static_cast<std::size_t>(n.ports));
    node.inputs.resize(static_cast<std::size_t>(n.ports));
    node.flit_words.resize(slots * node.inputs.size() * static_cast<std::size_t>(words_));
  }
  for (int l = 0; l < static_cast<int>(topology.links.size()); ++l) {
    const Link& link = topology.links[l];
    assert(link.latency >= 1 && link.rate.num >= 1 && link.rate.num <= link.rate.den);
    Output& out = nodes_[link.from].outputs[link.from_port];
    out = {.link = l,
           .to = link.to,
           .to_port = link.to_port,
           .latency = link.latency,
           .num = link.rate.num,
           .den = link.rate.den};
    for (int vc = 0; vc < kNumVcs; ++vc) out.depth[vc] = receiver_depth(l, vc);
    nodes_[link.to].inputs[link.to_port] = {
        .from = link.from, .from_port = link.from_port, .latency = link.latency};
  }
}

int FabricCore::receiver_depth(int link, int vc) const {
  const BufferShape& buffers = topology_.buffers;
  return is_endpoint(topology_.nodes[topology_.links[link].to]) ? buffers.receive_flits
                                                                : buffers.depth(vc);
}

void FabricCore::attach(NodeId node, SwitchCore& core) { nodes_[node].core = &core; }
void FabricCore::attach(NodeId node, EndpointCore& core) { nodes_[node].endpoint = &core; }

void FabricCore::reset() {
  slot_ = 0;
  edge_ = steps_left_out_ = 0;
  flits_under_way_ = credits_under_way_ = 0;
  finished_.clear();
  clear_counts();
  for (NodeState& node : nodes_) {
    assert(node.core != nullptr || node.endpoint != nullptr);
    std::ranges::fill(node.arrivals, Arrivals{});
    node.asleep = false;
    node.ready = node.charging = 0;
    node.pins.in_valid = node.pins.out_valid = node.pins.out_ready = 0;
    node.pins.out_credit = node.pins.in_credit = {};
    node.pins.reg = {};
    for (Input& in : node.inputs) in.buffered = {};
    if (node.core != nullptr) node.core->reset();
    if (node.endpoint != nullptr) node.endpoint->reset();
    for (int port = 0; port < static_cast<int>(node.outputs.size()); ++port) {
      Output& out = node.outputs[port];
      out.outstanding = {};
      out.held = out.den + out.num - 1;
      if (out.link < 0) continue;
      node.ready |= 1U << port;
      for (int vc = 0; vc < kNumVcs && node.endpoint != nullptr; ++vc) {
        node.endpoint->set_credits(port, vc, out.depth[vc]);
      }
    }
  }
}

void FabricCore::access(NodeId node, const RegisterRequest& request) {
  assert(nodes_[node].core != nullptr && !nodes_[node].pins.reg.valid);
  nodes_[node].pins.reg = request;
  nodes_[node].pins.reg.valid = true;
}

void FabricCore::clear_counts() {
  std::ranges::fill(counts_, LinkCount{});
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

int FabricCore::buffered(NodeId node, int port, int vc) const {
  return nodes_[node].inputs[port].buffered[vc];
}

int FabricCore::outstanding(int link, int vc) const {
  const Link& l = topology_.links[link];
  return nodes_[l.from].outputs[l.from_port].outstanding[vc];
}

// ---- one clock edge

void FabricCore::tick() {
  ++quiet_;
  finished_.clear();
  for (NodeState& node : nodes_) step_node(node);
  slot_ = (slot_ + 1) & wheel_mask_;
  ++edge_;
}

void FabricCore::step_node(NodeState& node) {
  Arrivals& now = node.arrivals[slot_];
  const bool touched = now.any() || node.pins.reg.valid;
  if (!touched && !always_step_ && (node.core != nullptr ? node.asleep : node.endpoint->idle())) {
    if (node.charging != 0) charge(node);
    ++steps_left_out_;
    return;
  }
  if (node.charging != 0) charge(node);
  take_arrivals(node, now);
  node.pins.out_ready = node.ready;
  if (node.core != nullptr) {
    node.core->step(node.pins);
    node.asleep = node.core->idle();
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
  }
  if (node.pins.out_valid != 0) launch_flits(node);
  return_credits(node);
}

void FabricCore::charge(NodeState& node) {
  for (std::uint32_t left = node.charging; left != 0; left &= left - 1) {
    const int port = std::countr_zero(left);
    const std::uint32_t bit = 1U << port;
    Output& out = node.outputs[port];
    out.held += out.num;
    if (out.held >= out.den) node.ready |= bit;
    if (out.held >= out.den + out.num - 1) {
      out.held = out.den + out.num - 1;
      node.charging &= ~bit;
    }
  }
}

void FabricCore::take_arrivals(NodeState& node, Arrivals& now) {
  node.pins.in_valid = now.flits;
  node.pins.out_credit = now.credits;
  for (std::uint32_t left = now.flits; left != 0; left &= left - 1) {
    const int port = std::countr_zero(left);
    const std::uint32_t* flit = flit_slot(node, slot_, port);
    copy_flit(&node.pins.in_flit[port * words_], flit, words_);
    ++node.inputs[port].buffered[flit[2] >> 8 & 3U];
    --flits_under_way_;
  }
  for (int vc = 0; vc < kNumVcs; ++vc) {
    for (std::uint32_t left = now.credits[vc]; left != 0; left &= left - 1) {
      --node.outputs[std::countr_zero(left)].outstanding[vc];
      --credits_under_way_;
    }
  }
  now = {};
}

void FabricCore::launch_flits(NodeState& node) {
  quiet_ = 0;
  if ((node.pins.out_valid & ~node.ready) != 0) {
    const int port = std::countr_zero(node.pins.out_valid & ~node.ready);
    fail(port_name(node, port) + " launched a flit although its link was not ready");
  }
  for (std::uint32_t left = node.pins.out_valid; left != 0; left &= left - 1) {
    const int port = std::countr_zero(left);
    Output& out = node.outputs[port];
    if (out.num != out.den) {
      out.held -= out.den;
      node.charging |= 1U << port;
      if (out.held < out.den) node.ready &= ~(1U << port);
    }
    const std::uint32_t* flit = &node.pins.out_flit[port * words_];
    const int vc = static_cast<int>(flit[2] >> 8 & 3U);
    if (++out.outstanding[vc] > out.depth[vc]) {
      fail(port_name(node, port) + " launched a flit without a credit");
    }
    LinkCount& count = counts_[out.link];
    ++count.flits;
    if ((flit[0] | kDirectionBit) == short_tag_ && (flit[2] >> 17 & 1U) != 0) ++count.short_flits;
    NodeState& to = nodes_[out.to];
    const std::uint32_t slot = (slot_ + static_cast<std::uint32_t>(out.latency)) & wheel_mask_;
    to.arrivals[slot].flits |= 1U << out.to_port;
    copy_flit(flit_slot(to, slot, out.to_port), flit, words_);
    ++flits_under_way_;
  }
}

void FabricCore::return_credits(NodeState& node) {
  for (int vc = 0; vc < kNumVcs; ++vc) {
    for (std::uint32_t left = node.pins.in_credit[vc]; left != 0; left &= left - 1) {
      const int port = std::countr_zero(left);
      Input& in = node.inputs[port];
      if (--in.buffered[vc] < 0) fail(port_name(node, port) + " returned a credit too many");
      const std::uint32_t slot = (slot_ + static_cast<std::uint32_t>(in.latency)) & wheel_mask_;
      nodes_[in.from].arrivals[slot].credits[vc] |= 1U << in.from_port;
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
