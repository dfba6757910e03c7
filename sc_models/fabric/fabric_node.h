// SPDX-License-Identifier: Apache-2.0
// A node of the fabric: its core, its pins, the readiness of its links, and the wake bits by which
// idle nodes are skipped.
//
// Stepping: begin_step() sets the ready pins of the links at the edge; step() is one clock edge of
//   the switch or endpoint; then launched flits and returned credits are at the pins, for the owner
//   of the links; inputs are consumed.
// Idle nodes: a node that is idle and has no flit, credit or register access at its pins is not
//   stepped; a step would change nothing (SwitchCore::idle, EndpointCore).
// Groups: a switch that steps with others (switch/switch_group.h) has no pins of its own between
//   join_group() and part_from_group(); only the readiness of its links is still known here.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/port_mask.h"
#include "links/link.h"
#include "nic/endpoint_core.h"
#include "switch/switch_core.h"
#include "topology/topology.h"

namespace fredsim {

class FabricNode {
 public:
  FabricNode(NodeId node, std::uint32_t first_port, int port_count, int lanes)
      : id(node), first(first_port), ports(port_count), pins(port_count, lanes) {}

  // Resets to the state after power-up; endpoints get their credits. `links`: the node's outputs.
  void reset(LinkTx* links);

  void begin_step(const LinkTx* links, std::uint64_t edge) {
    look_at_pacing(links, edge);
    stepped_ = edge;
    note_ready();
  }
  // Finds the links that take a flit again at this edge.
  void look_at_pacing(const LinkTx* links, std::uint64_t edge) {
    if (waiting_ != 0) [[unlikely]]
      look_at_waiting(links, edge);
  }
  // Steps the core. Result: whether it has to step at the next edge, whatever arrives, and the
  // error code of a switch.
  SwitchCore::Stepped step() {
    if (core != nullptr) return core->step_and_report(pins);
    endpoint->step(pins);
    return {.idle = endpoint->idle()};
  }
  void use_up_inputs() {
    pins.in_valid = 0;
    pins.out_credit = {};
  }
  // Steps an idle switch that takes the credits waiting at its pins; no other input is at the pins.
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
  // Puts a flit into the serialiser of a paced link: LinkTx::serialise().
  [[gnu::always_inline]] std::uint32_t serialise(LinkTx& link, std::uint32_t port,
                                                 const std::uint32_t* flit, std::uint64_t edge) {
    if (link.has_bursts() || link.has_channel()) [[unlikely]] {
      if (link.has_bursts()) link.count_in_burst(edge, flit);
      if (link.has_channel()) return 0;
    }
    const std::uint32_t beyond = link.serialise(edge);
    if (!link.is_ready_again()) {
      ready_ &= ~(1U << port);
      waiting_ |= 1U << port;
    }
    return beyond;
  }
  std::uint32_t ready() const { return ready_; }  // outputs whose link takes a flit
  bool is_waiting() const { return waiting_ != 0; }
  bool is_in_group() const { return in_group_; }
  void join_group() {
    hand_over_credits();
    in_group_ = true;
  }
  // Leaves the group after edge `edge`. All that was decided at this edge and the ones before had a
  // link that was ready then.
  void part_from_group(std::uint64_t edge) {
    in_group_ = false;
    stepped_ = edge;
    ready_before_.fill(~0U);
    pins.out_ready = ~0U;
    pins.out_valid = 0;
    pins.in_credit = {};
  }
  std::uint64_t last_step() const { return stepped_; }  // last edge stepped
  void skip(std::uint64_t edges) { stepped_ += edges; }
  bool is_idle() const { return core != nullptr ? core->idle() : endpoint->empty(); }
  // Returns false if the core cannot give its state.
  bool add_state(StateDigest& digest) const;

  NodeId id;  // node of the topology
  SwitchCore* core = nullptr;
  EndpointCore* endpoint = nullptr;
  std::uint32_t first;  // place of port 0 among those of all nodes of the owner
  int ports;
  int launch_edges = 0;  // SwitchCore::launch_edges()
  bool has_rtl = false;
  SwitchPins pins;  // in_valid and out_credit: inputs of the next step

 private:
  void note_ready() {
    static_assert(LinkTx::kMaxLate == 2);
    ready_before_[1] = ready_before_[0];
    ready_before_[0] = pins.out_ready;
    pins.out_ready = ready_;
  }
  void look_at_waiting(const LinkTx* links, std::uint64_t edge);

  std::uint32_t ready_ = 0;    // outputs whose link takes a flit
  std::uint32_t waiting_ = 0;  // outputs with a link that is not ready, or with a channel
  // `ready_` of earlier steps, the last one first.
  std::array<std::uint32_t, LinkTx::kMaxLate> ready_before_{};
  std::uint64_t stepped_ = 0;  // edge of the last step
  bool in_group_ = false;
};

// A bit per node: step it at the next edge.
class WakeBits {
 public:
  explicit WakeBits(std::size_t nodes)
      : nodes_(nodes), bits_((nodes + 63) / 64), now_(bits_.size()) {}

  void wake(std::size_t node) { bits_[node / 64] |= bit(node); }
  void sleep(std::size_t node) { bits_[node / 64] &= ~bit(node); }
  void wake_all() {
    for (std::size_t word = 0; word < bits_.size(); ++word) bits_[word] = all(word);
  }
  bool any() const {
    for (const std::uint64_t word : bits_) {
      if (word != 0) return true;
    }
    return false;
  }
  // Calls step(node) for the nodes to step, ascending, and clears their bits; a node woken
  // meanwhile steps at the edge after this one.
  template <typename Step>
  void take(Step&& step) {
    for (std::size_t word = 0; word < now_.size(); ++word) {
      now_[word] = std::exchange(bits_[word], 0);
    }
    for (std::size_t word = 0; word < now_.size(); ++word) {
      for (std::uint64_t left = now_[word]; left != 0; left &= left - 1) {
        step(word * 64 + static_cast<std::size_t>(std::countr_zero(left)));
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
  std::vector<std::uint64_t> bits_, now_;
};

}  // namespace fredsim
