// SPDX-License-Identifier: Apache-2.0
// Matching of online unicasts in a PhasedTwin: the C++ side of rtl/phased/phased_matcher.sv, which
// states the rules, the timing and the fairness.
//
// Shapes: port masks have bit p for port p; arrays by head-of-line flit have index 4p + v for VC v
//   of input p.
// Timing: step() is one clock edge. It may be left out at an edge without a request of a
//   head-of-line flit while idle() is true.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/flit.h"
#include "base/state_digest.h"
#include "base/vc_order.h"

namespace fredsim {

class PhasedMatcher {
 public:
  using Ports = std::uint32_t;
  using PortsByVc = std::array<Ports, kNumVcs>;

  // State before the edge.
  struct HolFlits {
    PortsByVc request{};  // inputs whose head-of-line flit is an online unicast with an output port
    PortsByVc tail{};     // inputs whose head-of-line flit is the last flit of its packet
    std::span<const std::uint8_t> output;  // index: head-of-line flit; valid for requests
    PortsByVc room{};                      // outputs whose staging has room for a packet
  };
  // Flits and packets of the phases in use at the same edge.
  struct Phase {
    Ports popped = 0, reserved = 0;  // inputs and outputs of the fired flits
    Ports held = 0;  // outputs of the first phase's flows that were inside a packet before the edge
    int vc = 0;
    Ports second_held = 0;  // ports of a second phase in use
    int second_vc = 0;
    // Closed outputs; outputs with flits of phases in flight to them, and the VC of these flits.
    Ports closed = 0, in_flight = 0;
    int in_flight_vc = 0;
  };
  struct Move {
    int input = 0, output = 0, vc = 0;
  };

  // apart_levels: as in PhasedNetwork.
  PhasedMatcher(int ports, int apart_levels, const VcOrder& order = kDefaultVcOrder);

  void reset();
  // Flits that leave at this edge; valid until the next call.
  std::span<const Move> step(const HolFlits& hol_flits, const Phase& phase);

  // State after the edge: outputs with an open packet; stalls that are counted at the next edge.
  const PortsByVc& locked() const { return locked_; }
  int stall_credit() const { return stall_credit_; }
  int stall_arbiter() const { return stall_arbiter_; }
  bool idle() const;
  void add_state(StateDigest& digest) const;

 private:
  struct Grant {  // grant of one output
    int input = 0, vc = 0;
    bool contended = false;
  };

  void ask(const HolFlits& hol_flits, const Phase& phase);
  void grant(Ports in_taken, Ports out_taken, const PortsByVc& tail);
  Ports conflicting(const std::array<Grant, 32>& grants) const;
  void move(int output, const Grant& grant, const PortsByVc& tail);

  int ports_;
  VcOrder order_;
  int levels_;  // levels at which flits must be kept apart here: levels with two sub-networks
  PortsByVc begun_{}, locked_{};
  PortsByVc streams_{};  // inputs that moved a flit other than a tail at the last edge
  Ports rest_ = 0;
  std::uint32_t dice_ = 1;
  // Round robin, by VC of an output, 4p + v: inputs at or after its pointer; none: all.
  std::vector<Ports> from_pointer_;
  int first_ = 0;  // output that is never dropped

  // Requests at the edge being decided.
  std::array<PortsByVc, 32> ask_{};
  Ports asked_ = 0;  // outputs with a request
  std::vector<Move> moves_;

  // Head-of-line flits at the last edge: moved ones, ones that had room or needed none, and ones
  // without room.
  int moved_ = 0, ready_ = 0, no_room_ = 0;
  int stall_credit_ = 0, stall_arbiter_ = 0;
};

}  // namespace fredsim
