// SPDX-License-Identifier: Apache-2.0
// The output units of a PhasedTwin, one per port: staging per virtual channel, credits of the
// receiver, link arbiter. The C++ side of rtl/phased/phased_output_unit.sv, which states the rules.
// The pipeline of the interconnect before them is a delay here.
//
// Shapes: port masks have bit p for port p; a flit is flit_words(lanes) 32-bit words, as on the
// pins.
// Use: per clock edge drive(), then reserve() and push() for every flit that enters the
//   interconnect, then deliver(), launch(). room() in between is the room left by reservations and
//   launches. In place of push(), if an interconnect delays flits: stage() at that edge, and
//   arrive() later, before deliver().
// Timing: a flit is in the staging `delay` edges after its push(), or as many after arrive() as its
//   argument; it can be launched at that edge, and is on the pins at the edge after.
// State: plain values; nothing is allocated after construction.
// Contract (the caller's): push() and stage() only into places reserved at the same edge, one flit
//   per port and edge; at every port flits of a VC arrive in the order in which they were staged.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/port_mask.h"
#include "switch/phased/phased_shape.h"
#include "switch/switch_core.h"

namespace fredsim {

class PhasedOutputs {
 public:
  using Ports = std::uint32_t;
  using PortsByVc = std::array<Ports, kNumVcs>;

  // `delay`: edges from push() to the staging, 1 or more; `longest`: the maximum argument of
  // arrive(), 0: it is not called.
  PhasedOutputs(int ports, const PhasedShape& shape, int delay, int longest = 0);

  void reset();
  // Drives the pins with the flits launched at the edge before.
  template <int kWords>
  void drive(SwitchPins& pins);
  // Outputs with room for a packet.
  const PortsByVc& room() const { return room_; }
  void reserve(int vc, Ports outputs);  // reserves a place at each output
  // Puts a flit into the interconnect for these outputs, where places are reserved.
  template <int kWords>
  void push(int vc, Ports outputs, const std::uint32_t* flit);
  // Halves of push(): the flit, without its arrival; the arrival `edges` edges from now.
  template <int kWords>
  void stage(int vc, Ports outputs, const std::uint32_t* flit);
  void arrive(int vc, Ports outputs, int edges) { arriving(edges)[vc] |= outputs; }
  void deliver();
  void launch(const SwitchPins& pins);

  // Returns true if no place is reserved and no flit is staged or in flight to the pins.
  bool empty() const { return reserved_ == 0 && (leaving_ | launched_) == 0; }
  std::uint16_t credits(int port, int vc) const { return out_[port][vc].credits; }
  void set_credits(int port, int vc, std::uint16_t credits);
  // Values of the counter registers, one edge after the event.
  std::uint64_t flits(int port) const { return flits_[port] - (launched_ >> port & 1U); }
  void add_state(StateDigest& digest) const;
  void add_to_counters(const SwitchCounters& more);
  std::uint64_t stall_link() const {
    return stall_link_ - static_cast<std::uint64_t>(std::popcount(stalled_links_));
  }

 private:
  struct OutVc {  // one staging FIFO
    std::uint16_t base = 0;
    std::uint16_t head = 0, free = 0, count = 0;  // slots from base; count: delivered, not launched
    std::uint16_t places = 0;   // places without reservation; reservations of the last edge are not
                                // subtracted yet
    std::uint16_t credits = 0;  // credits for the receiver's buffer
  };

  void set_room(int port, int vc) {
    const bool room = out_[port][vc].places >= (vc == kControl ? 1 : packet_flits_);
    room_[vc] = room ? room_[vc] | 1U << port : room_[vc] & ~(1U << port);
  }
  void advance(std::uint16_t& slot) const {
    slot = static_cast<std::uint16_t>(slot + 1 == depth_ ? 0 : slot + 1);
  }
  // Flits of the deliver() `edges` edges after the next one.
  PortsByVc& arriving(int edges) {
    const std::size_t place = place_ + static_cast<std::size_t>(edges) + 1;
    return pipeline_[place < pipeline_.size() ? place : place - pipeline_.size()];
  }
  std::uint32_t* slot(int port, int slot) {
    return &staged_[static_cast<std::size_t>(port * kNumVcs * depth_ + slot) * words_];
  }

  Ports all_;
  std::size_t words_;
  int depth_, packet_flits_;
  VcOrder vc_order_;
  BufferShape buffers_;
  std::vector<std::array<OutVc, kNumVcs>> out_;
  std::vector<std::uint32_t> staged_;
  // Ring of future edges: flits that reach the staging at each; the last edge's at place_.
  std::vector<PortsByVc> pipeline_;
  int delay_;
  std::size_t place_ = 0;
  PortsByVc room_{};
  PortsByVc some_{};        // outputs with a flit to launch
  PortsByVc has_credit_{};  // outputs with credits
  PortsByVc inside_{};  // outputs that have launched the head of a packet of a phase, not its tail
  int reserved_ = 0;    // places taken at all outputs
  Ports leaving_ = 0;   // ports with a launch decided at the last edge,
  std::vector<std::uint16_t> slots_;  // index: port; place of its flit in the staging
  // Counted in flits_ and stall_link_ at once.
  Ports launched_ = 0;  // flits on the pins
  Ports stalled_links_ = 0;
  std::vector<std::uint64_t> flits_;
  std::uint64_t stall_link_ = 0;
};

template <int kWords>
void PhasedOutputs::drive(SwitchPins& pins) {
  const std::size_t words = kWords != 0 ? kWords : words_;
  for_each_port(leaving_, [&](int p) {
    std::memcpy(&pins.out_flit[static_cast<std::size_t>(p) * words], slot(p, slots_[p]),
                words * sizeof(std::uint32_t));
    ++flits_[p];
  });
  pins.out_valid = launched_ = leaving_;
}

inline void PhasedOutputs::reserve(int vc, Ports outputs) {
  for_each_port(outputs, [&](int p) {
    --out_[p][vc].places;
    set_room(p, vc);
  });
  reserved_ += std::popcount(outputs);
}

template <int kWords>
void PhasedOutputs::push(int vc, Ports outputs, const std::uint32_t* flit) {
  stage<kWords>(vc, outputs, flit);
  arrive(vc, outputs, delay_);
}

template <int kWords>
void PhasedOutputs::stage(int vc, Ports outputs, const std::uint32_t* flit) {
  const std::size_t words = kWords != 0 ? kWords : words_;
  for_each_port(outputs, [&](int p) {
    OutVc& out = out_[p][vc];
    std::memcpy(slot(p, out.base + out.free), flit, words * sizeof(std::uint32_t));
    advance(out.free);
  });
}

inline void PhasedOutputs::deliver() {
  place_ = place_ + 1 == pipeline_.size() ? 0 : place_ + 1;
  PortsByVc& arriving = pipeline_[place_];
  for (int vc = 0; vc < kNumVcs; ++vc) {
    for_each_port(arriving[vc], [&](int p) { ++out_[p][vc].count; });
    some_[vc] |= arriving[vc];
  }
  arriving = {};
}

}  // namespace fredsim
