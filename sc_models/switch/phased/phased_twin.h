// SPDX-License-Identifier: Apache-2.0
// The `tlm` implementation of the switches with a phase store: a C++ twin with the same outputs in
// the same cycle as the RTL (rtl/phased/phased_switch.sv in fred_switch.sv and others) for every
// size, buffer depth, format and configuration. PhasedNetwork describes the interconnect:
// latencies, the function of a row, and a model for flits that wait (phased_interconnect.h);
// PhasedRoutes has the outputs of online unicasts.
//
// Method: state is masks over the ports, one bit per port, so that a cycle costs only the active
//   ports. A flit that fires is added up at once and written to its place in the output staging; it
//   counts there when the interconnect's pipeline would have delivered it (phased_outputs.h).
//   Online unicasts: phased_matcher.h; their paths are not modelled, since every flit granted by
//   the matcher has one.
//   A row that contradicts its flows is the exception: for it PhasedNetwork::carry follows flits
//   and unicasts through the interconnect, and a flit that comes out at an output without a
//   reserved place ends there, as in rtl/fred/fred_exit.sv.
// Two phases in use: their rows have no resource in common, so they are decoded as one row with the
//   bits of both (now_), and each port has the virtual channel of its slot.
// Contract: switch_core.h. Undefined, as in the RTL (which asserts): packets longer than
//   PACKET_FLITS or of several flits on the control VC.
// State: plain values without cycle numbers. step() allocates only when a row is used for the first
//   time after it was written.
// Errors: the error register, as the RTL's. The shape is one that SwitchKind::check() has let pass.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "switch/phased/phased_candidates.h"
#include "switch/phased/phased_interconnect.h"
#include "switch/phased/phased_matcher.h"
#include "switch/phased/phased_outputs.h"
#include "switch/phased/phased_routes.h"
#include "switch/phased/phased_row.h"
#include "switch/phased/phased_shape.h"
#include "switch/switch_core.h"

namespace fredsim {

class PhasedTwin final : public SwitchCore {
 public:
  PhasedTwin(const PhasedShape& shape, PhasedNetwork network, std::unique_ptr<PhasedRoutes> routes);

  void reset() override;
  void step(SwitchPins& pins) override;
  bool idle() const override;
  std::uint32_t error() const override { return error_; }
  std::string_view model() const override { return "tlm"; }
  int launch_edges() const override { return 1; }
  bool peek_counters(SwitchCounters& into) const override;
  bool peek_phase(SwitchPhase& into) const override;
  bool peek_hol(int port, int vc, FlitHeader& into) const override;
  bool add_state(StateDigest& digest) const override;
  void add_to_counters(const SwitchCounters& more) override;

 private:
  using Ports = PhasedMatcher::Ports;
  using PortsByVc = PhasedMatcher::PortsByVc;
  using Row = std::shared_ptr<const PhasedRow>;

  struct InVc {  // one input FIFO
    std::uint16_t base = 0, depth = 0;
    std::uint16_t head = 0, free = 0, count = 0;  // slots from base
    std::uint8_t phase = 0;                       // phase of the head-of-line flit
  };
  // A slot for a phase in use; there are shape_.phases_in_use.
  struct Slot {
    bool active = false;
    int vc = 0, phase = 0;
    int silent = 0, busy = 0;
    Row row;  // row at its lookup
  };
  using Slots = std::uint32_t;  // bit s: slot s
  struct Control {              // control decisions of an edge, from the state before it
    bool change = false;        // changes to next_phase_
    int decided = -1;           // VC of the candidate that is decided for
    Slots replaced = 1;         // slots that it replaces
    int target = 0;             // slot that it gets
  };
  struct Fired {  // flits fired by the phases in use
    Ports inputs = 0, outputs = 0;
  };

  template <int kWords>  // words of a flit; 0: words_
  void step_words(SwitchPins& pins);
  Control decide() const;
  bool gives_way(int slot, int vc) const;
  // The slot that a VC's candidate would get, and the slots whose phases it would replace.
  void find_place(int vc, Control& control) const;
  Row rows_together(const Row& one, const Row& other);
  void look_up(bool store_free);
  Row ready_row(const PhasedCandidates::Read& read, Ports waiting);
  template <int kWords>
  Fired fire();
  PhasedMatcher::Phase seen_by_matcher(const Fired& fired, Ports held_before) const;
  bool joins_agree(Ports popped) const;
  template <int kWords>
  void send(Ports popped);
  template <int kWords>
  void push(int vc, Ports outputs, const std::uint32_t* flit);
  template <int kWords>
  Ports send_astray(const Fired& fired, std::span<const PhasedMatcher::Move> moves);
  template <int kWords>
  const std::uint32_t* add_up(const std::vector<int>& postfix, std::uint32_t* sum);
  template <int kWords>
  PortsByVc send_online(std::span<const PhasedMatcher::Move> moves, Ports lost);
  std::uint32_t route_bits(int port, const std::uint32_t* flit) const;
  Ports held() const;
  template <int kWords>
  void accept(SwitchPins& pins, const PortsByVc& popped);
  // `rewritten`: slots whose phase has its row written at this edge.
  void advance_control(const Control& control, const Fired& fired, Slots rewritten);
  void change_phase();
  void count_events();
  void access(const RegisterRequest& request);
  bool writes_row(const RegisterRequest& request, int phase) const;
  std::uint64_t counter(std::uint16_t address) const;
  const Row& row(int phase);
  // Edges after a change of phase without another decision; edges until its wave has passed the
  // interconnect.
  int lock_after_load() const { return std::max(network_.config_stages - 1, 1); }
  int rest_after_load() const { return network_.config_edges; }
  // Edges from a pop to the staging, for flits that do not wait; the bits of these edges in a mask
  // whose bit n is for n edges ago.
  int pipeline_edges() const;
  std::uint32_t on_their_way() const { return (1U << pipeline_edges()) - 1; }
  Ports others(int vc) const {
    Ports matching = vc == slots_[0].vc ? match_ & ~second_in_ : 0;
    if (vc == slots_[1].vc) matching |= match_ & second_in_;
    return valid_[vc] & ~matching & ~online_hol_flits_[vc];
  }
  int slot_count() const { return shape_.phases_in_use; }
  int slot_of_input(int port) const { return static_cast<int>(second_in_ >> port & 1U); }
  int vc_of_input(int port) const { return slots_[slot_of_input(port)].vc; }
  int vc_of_output(int port) const { return slots_[second_out_ >> port & 1U].vc; }
  // The rows in use for flits that leave their buffers at this edge: they enter the interconnect
  // behind a change of this edge.
  const PhasedRow& sent() const { return changed_ != nullptr ? *changed_ : *now_; }
  int slot_of(const PhasedRow::Flow& flow) const {
    return slot_of_input(std::countr_zero(flow.inputs));
  }
  // Slots with a flow that is inside a packet.
  Slots open_slots() const;
  void show_hol(int port, int vc);
  void find_matches();
  void match_hol(int port);
  std::uint32_t* in_slot(int port, int slot) {
    return &in_flits_[static_cast<std::size_t>(port * in_slots_ + slot) * words_];
  }
  const std::uint32_t* hol(int port, int vc) const {
    const InVc& in = in_[port][vc];
    return &in_flits_[static_cast<std::size_t>(port * in_slots_ + in.base + in.head) * words_];
  }

  PhasedShape shape_;
  PhasedNetwork network_;
  std::unique_ptr<PhasedInterconnect> interconnect_;  // null: the interconnect only delays
  int ports_;
  std::size_t words_;
  int in_slots_;
  int row_words_, phases_;
  int yield_, quantum_;
  bool two_;                         // two phases can be in use
  std::array<int, kNumVcs> rank_{};  // priority of a VC, 0 the highest

  std::vector<std::array<InVc, kNumVcs>> in_;
  std::vector<std::uint32_t> in_flits_;
  PhasedOutputs outputs_;
  PortsByVc valid_{};                     // inputs with a head-of-line flit
  PortsByVc online_hol_flits_{};          // inputs with an online unicast as head-of-line flit
  PortsByVc request_{}, tail_{};          // inputs of online unicasts with a route; of their tails
  std::vector<std::uint8_t> hol_output_;  // outputs of head-of-line flits with a route, 4p + v
  PhasedMatcher matcher_;
  std::unique_ptr<PhasedRoutes> routes_;
  Ports match_ = 0;  // inputs whose head-of-line flit, on their slot's VC, is of the phase there
  PortsByVc
      popping_{};  // inputs that a flit left at the last edge: its slot is free one edge later

  // The pin registers.
  Ports pin_valid_ = 0;
  std::vector<std::uint32_t> pin_flits_;

  std::vector<std::uint32_t> store_;
  std::vector<Row> rows_;  // decoded on first use
  PhasedCandidates candidates_;
  std::array<Slot, 2> slots_;             // the second is idle if one phase is in use
  Ports second_in_ = 0, second_out_ = 0;  // ports of the phase in the second slot
  bool decided_ = false;
  int next_phase_ = 0;
  Slots replaced_ = 1;  // slots replaced by the phase that is decided for
  int target_ = 0;      // slot that it gets
  Row now_;             // rows of the phases in use, combined
  Row next_;            // row of the phase that is decided for, at its lookup
  Row changed_;         // now_ after the change at this edge
  std::map<std::pair<Row, Row>, Row> together_;  // combinations of two rows; rows in the store now,
                                                 // and rows in use
  std::uint32_t open_ = 0;  // flows of now_ that are inside a packet, by code: bit code - 1
  int since_load_ = 0;      // edges since a change of phase, saturating
  Ports held_back_ = 0;     // inputs whose match the interconnect held back at this edge

  // Outputs for which the head of a packet has fired, but not its tail; kept if rows can contradict
  // their flows.
  PortsByVc inside_{};
  std::vector<std::uint64_t> flits_in_;
  struct Events {  // cycles, additions
    std::uint64_t reductions = 0, join = 0, credit = 0, phase = 0, arbiter = 0;
  };
  Events counted_;  // events in the counter registers
  Events events_;   // events of the last edge: in the registers one edge later
  std::uint64_t phase_changes_ = 0;
  bool overflow_ = false, next_overflow_ = false;
  bool phase_error_ = false, route_error_ = false;  // errors at this edge
  // Bit n, for flits that fired n edges ago: joined flits differ; flits come out at an output
  // without reservation, or inside another packet; flits without a place at an output, which would
  // show that they are in flight.
  std::uint32_t join_errors_ = 0, config_errors_ = 0, astray_ = 0;
  Ports credits_out_ = 0;  // inputs with a credit on the pins
  std::uint32_t error_ = 0;
  std::uint32_t rdata_ = 0;
};

}  // namespace fredsim
