// SPDX-License-Identifier: Apache-2.0
// Scheduler of a VoqCrossbarTwin: the C++ side of rtl/voq_crossbar/voq_scheduler.sv, which states
// the rules and the timing.
//
// Shapes: port masks have bit p for port p; arrays by (VC, output) have sets of inputs, arrays by
//   (VC, input) sets of outputs.
// Timing: step() is one clock edge. It may be left out at an edge without a head-of-line flit while
//   idle() is true.
// State: plain values; nothing is allocated after construction.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/flit.h"
#include "base/state_digest.h"
#include "base/vc_order.h"
#include "rtl/voq_crossbar_pkg.h"

namespace fredsim {

class VoqScheduler {
 public:
  using Ports = std::uint32_t;
  using PortsByVc = std::array<Ports, kNumVcs>;
  static constexpr int kMaxPorts = 32;
  using ByPort = std::array<Ports, kMaxPorts>;
  using ByVcAndPort = std::array<ByPort, kNumVcs>;
  static constexpr int kMaxIterations = voq_crossbar_pkg::MAX_ITERATIONS;

  // Queues before the edge, by (VC, output): inputs with a head-of-line flit, inputs whose
  // head-of-line flit ends its packet, inputs with two flits or more; by VC: outputs with any of
  // them.
  struct Queues {
    ByVcAndPort valid{}, tail{}, several{};
    PortsByVc outputs{};
  };
  struct Move {
    int input = 0, output = 0, vc = 0;
  };

  VoqScheduler(int ports, int iterations, const VcOrder& order);

  void reset();
  // Flits that leave at this edge, valid until the next call. `room`: outputs whose staging has
  // room for a packet.
  std::span<const Move> step(const Queues& queues, const PortsByVc& room);

  // State after the edge: stalls that are counted at the next one.
  int stall_credit() const { return stall_credit_; }
  int stall_arbiter() const { return stall_arbiter_; }
  bool idle() const;
  void add_state(StateDigest& digest) const;

 private:
  // Matching: at most one input per output and one output per input.
  struct Pairs {
    ByPort inputs{};  // index: output; none or one
    Ports in = 0, out = 0;
  };
  // Requests. Arrays that are made at every edge have values for the switch's own ports only.
  struct Asks {
    ByVcAndPort inputs;  // index: VC and output
    Ports outputs = 0;   // outputs with a request
  };
  struct Grants {  // index: output; valid if `out` of the round's pairs has it
    std::array<std::uint8_t, kMaxPorts> vc;
  };

  struct Choice {
    int port = 0, vc = 0;
  };

  void clear(ByVcAndPort& ports) const;
  Asks eligible(const Queues& queues, const PortsByVc& room);
  Pairs first_in_the_last_round() const;
  void rounds_ahead(const Queues& queues, const PortsByVc& room, const Asks& now,
                    const Pairs& keep);
  Choice choose(const ByVcAndPort& asks, const ByVcAndPort& turns, int port, Ports first,
                bool over_vcs) const;
  Pairs round(const Asks& asks, const Pairs& keep, bool over_vcs, Grants& grants) const;
  void move(const Queues& queues, const Pairs& pairs, const Grants& grants);

  int ports_;
  int iterations_;
  Ports all_;
  VcOrder order_;
  ByVcAndPort owner_{};  // index: VC and output; the input inside a packet there
  ByVcAndPort grant_turn_{}, accept_turn_{};
  Pairs stream_;                               // pairs inside a packet whose next flit is there
  std::array<Pairs, kMaxIterations> ahead_{};  // pairs matched in earlier rounds, by round
  std::vector<Move> moves_;
  // Inputs at the last edge: inputs that moved a flit, that lacked room, and all others with a
  // head-of-line flit.
  int moved_ = 0, no_room_ = 0, ready_ = 0;
  int stall_credit_ = 0, stall_arbiter_ = 0;
};

}  // namespace fredsim
