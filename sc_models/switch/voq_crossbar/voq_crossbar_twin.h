// SPDX-License-Identifier: Apache-2.0
// The `tlm` implementation of the VOQ crossbar: a C++ twin with the same outputs in the same cycle
// as rtl/voq_crossbar/voq_crossbar.sv for every size.
//
// Method: state is masks over the ports, so that a cycle costs only the active ports. A flit that
//   leaves its queue is written to its place in the output staging at once; it counts there when
//   the pipeline in between would have delivered it (phased_outputs.h).
// Contract: switch_core.h. Undefined, as in the RTL (which asserts): packets longer than
//   PACKET_FLITS or of several flits on the control VC.
// State: plain values; nothing is allocated after construction.
// Errors: the error register, as the RTL's. The shape is one that SwitchKind::check() has let pass.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "switch/phased/phased_outputs.h"
#include "switch/route_table.h"
#include "switch/switch_core.h"
#include "switch/switch_shape.h"
#include "switch/voq_crossbar/voq_scheduler.h"

namespace fredsim {

class VoqCrossbarTwin final : public SwitchCore {
 public:
  VoqCrossbarTwin(const SwitchShape& shape, std::uint32_t id);  // kind: voq_crossbar_kind()

  void reset() override;
  void step(SwitchPins& pins) override;
  bool idle() const override;
  std::uint32_t error() const override { return error_; }
  std::string_view model() const override { return "tlm"; }
  int launch_edges() const override { return 1; }
  bool peek_counters(SwitchCounters& into) const override;
  bool add_state(StateDigest& digest) const override;
  void add_to_counters(const SwitchCounters& more) override;

 private:
  using Ports = VoqScheduler::Ports;
  using PortsByVc = VoqScheduler::PortsByVc;
  using Slot = std::uint16_t;

  struct Queue {  // linked slots of its flits; first and last are valid if it has some
    Slot first = 0, last = 0;
    std::uint16_t flits = 0;
  };
  struct Slots {    // slots of one virtual channel of an input
    Slot free = 0;  // first free slot of a linked list; valid if there is one
    std::uint16_t used = 0;
  };

  template <int kWords>  // words of a flit; 0: words_
  void step_words(SwitchPins& pins);
  template <int kWords>
  void leave(std::span<const VoqScheduler::Move> moves, PortsByVc& popped);
  template <int kWords>
  void accept(const SwitchPins& pins);
  void store(int port, const std::uint32_t* flit, std::size_t words);
  void access(const RegisterRequest& request);
  std::uint64_t counter(std::uint16_t address) const;
  void show(int port, int vc, int output);

  Queue& queue(int port, int vc, int output) {
    return queues_[static_cast<std::size_t>((port * kNumVcs + vc) * ports_ + output)];
  }
  std::size_t slot_index(int port, Slot slot) const {
    return static_cast<std::size_t>(port * in_slots_) + slot;
  }

  int ports_;
  std::size_t words_;
  BufferShape buffers_;
  int in_slots_;
  std::uint32_t id_;

  std::vector<std::array<Slots, kNumVcs>> slots_;
  std::vector<Queue> queues_;
  std::vector<Slot> next_;  // index: slot; the next one of its queue, or the next free one
  std::vector<std::uint32_t> in_flits_;
  VoqScheduler::Queues hol_flits_;
  int buffered_ = 0;
  VoqScheduler scheduler_;
  PhasedOutputs outputs_;
  RouteTable table_;
  std::vector<std::uint8_t> routes_;  // 1 + output port; 0: none
  PortsByVc
      popping_{};  // inputs that a flit left at the last edge: its slot is free one edge later

  // The pin registers; routes as in routes_, kNamesPhase for a flit that does.
  Ports pin_valid_ = 0;
  std::vector<std::uint32_t> pin_flits_;
  std::vector<std::uint8_t> pin_routes_;

  std::vector<std::uint64_t> flits_in_;
  std::uint64_t stall_credit_ = 0, stall_arbiter_ = 0;
  bool overflow_ = false, phase_error_ = false, route_error_ = false;  // errors at the last edge
  std::uint32_t error_ = 0;
  std::uint32_t rdata_ = 0;
};

}  // namespace fredsim
