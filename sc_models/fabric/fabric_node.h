// A node of the fabric: who steps at it, its pins, which of its links take a flit, and the bits by which idle nodes
// are left out.
//
// Stepping: begin_step() brings pacing up to the edge and puts on the pins which links take flits; step() is one clock
//   edge of the switch or endpoint; then what it launched and what credits it gave back are at the pins, for the
//   owner of the links; inputs are used up.
// Idle nodes: a node that is idle and has no flit, credit or register access at its pins is not stepped; a step
//   would change nothing (SwitchCore::idle, EndpointCore). Pacing makes up for the edges left out.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/port_mask.h"
#include "endpoint/endpoint_core.h"
#include "fabric/link.h"
#include "switch/switch_core.h"
#include "topology/topology.h"

namespace fredsim {

class FabricNode {
 public:
  FabricNode(NodeId node, std::uint32_t first_port, int port_count, int lanes)
      : id(node), first(first_port), ports(port_count), pins(port_count, lanes) {}

  // `links`: the node's outputs. As after power-up; endpoints get their credits.
  void reset(LinkTx* links);

  void begin_step(LinkTx* links, std::uint64_t edge) {
    if (charging_ != 0) charge(links, edge - stepped_);
    stepped_ = edge;
    for (std::size_t i = ready_before_.size() - 1; i > 0; --i) {
      ready_before_[i] = ready_before_[i - 1];
    }
    ready_before_[0] = pins.out_ready;
    pins.out_ready = ready_;
  }
  // Whether it has to step at the next edge, whatever arrives.
  bool step() {
    if (core != nullptr) {
      core->step(pins);
      return !core->idle();
    }
    endpoint->step(pins);
    return !endpoint->idle();
  }
  void use_up_inputs() {
    pins.in_valid = 0;
    pins.out_credit = {};
  }
  // A step of an idle switch that takes in the credits that have waited for one; nothing else is at the pins.
  void hand_over_credits() {
    if (on_any_vc(pins.out_credit) == 0) return;
    pins.out_ready = 0;
    core->step(pins);
    pins.out_credit = {};
  }
  // Outputs whose link takes a flit launched at this edge.
  std::uint32_t may_launch() const {
    std::uint32_t ready = ready_;
    for (int i = 0; i < launch_edges; ++i) ready |= ready_before_[static_cast<std::size_t>(i)];
    return ready;
  }
  // A flit goes into the serialiser of a paced link: LinkTx::serialise().
  std::uint32_t serialise(LinkTx& link, std::uint32_t port) {
    const std::uint32_t beyond = link.serialise();
    charging_ |= 1U << port;
    if (!link.is_ready()) ready_ &= ~(1U << port);
    return beyond;
  }
  std::uint64_t last_step() const { return stepped_; }  // edge
  void pass_over(std::uint64_t edges) { stepped_ += edges; }
  bool is_idle() const { return core != nullptr ? core->idle() : endpoint->empty(); }
  bool links_are_rested(const LinkTx* links, std::uint64_t edge) const {
    return edge - stepped_ >= edges_to_charge(links);
  }
  // False: it cannot tell.
  bool add_state(const LinkTx* links, std::uint64_t edge, StateDigest& digest) const;

  NodeId id;  // of the topology
  SwitchCore* core = nullptr;
  EndpointCore* endpoint = nullptr;
  std::uint32_t first;  // place of port 0 among those of all nodes of the owner
  int ports;
  int launch_edges = 0;  // SwitchCore
  SwitchPins pins;       // in_valid and out_credit: of the next step

 private:
  void charge(LinkTx* links, std::uint64_t edges);
  std::uint64_t edges_to_charge(const LinkTx* links) const;

  std::uint32_t ready_ = 0;  // outputs whose link takes a flit
  // `ready_` of the steps before, the last one first.
  std::array<std::uint32_t, LinkTx::kMostLate> ready_before_{};
  std::uint32_t charging_ = 0;  // outputs whose accumulator is below its cap
  std::uint64_t stepped_ = 0;   // edge of the last step, at which these have gained last
};

// A bit per node: to be stepped at the next edge.
class WakeBits {
 public:
  explicit WakeBits(std::size_t nodes) : nodes_(nodes), bits_((nodes + 63) / 64) {}

  void wake(std::size_t node) { bits_[node / 64] |= bit(node); }
  void wake_all() {
    for (std::size_t word = 0; word < bits_.size(); ++word) bits_[word] = all(word);
  }
  bool any() const {
    for (const std::uint64_t word : bits_) {
      if (word != 0) return true;
    }
    return false;
  }
  // Appends the nodes to step, ascending, and clears their bits.
  void take(std::vector<std::uint32_t>& nodes) {
    for (std::size_t word = 0; word < bits_.size(); ++word) {
      std::uint64_t left = bits_[word];
      if (left == 0) continue;
      bits_[word] = 0;
      for (; left != 0; left &= left - 1) {
        nodes.push_back(static_cast<std::uint32_t>(word * 64) +
                        static_cast<std::uint32_t>(std::countr_zero(left)));
      }
    }
  }
  void set_waker_of(std::size_t node, EndpointCore& core) {
    core.set_waker(&bits_[node / 64], bit(node));
  }
  const std::vector<std::uint64_t>& words() const { return bits_; }

 private:
  static std::uint64_t bit(std::size_t node) { return std::uint64_t{1} << (node % 64); }
  std::uint64_t all(std::size_t word) const {
    return ~std::uint64_t{0} >> (word + 1 == bits_.size() ? -nodes_ % 64 : 0);
  }

  std::size_t nodes_;
  std::vector<std::uint64_t> bits_;
};

}  // namespace fredsim
