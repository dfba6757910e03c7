// SPDX-License-Identifier: Apache-2.0
// Rules of a mesh router, checked at every edge against any implementation: which flits leave,
// which stay and why.
//
// Keeps a model of the input buffers, credits, open packets, turns and declined grants, written
// from the contracts in rtl/mesh/mesh_router.sv and rtl/mesh/mesh_allocator.sv, and checks the
// outputs of a step. A flit leaves at the edge at which its slot is given back:
//   - it is the oldest flit of its (input, VC), sampled at least two edges ago, and follows X-Y
//     routing, with a credit given before this edge, for a packet start with credits for a whole
//     packet (into a ring: and one more; straight on in a ring: one), on an output VC in which no
//     other packet is open, to a link that is ready at this edge; two edges later it is at that
//     output, unchanged, and nothing else is there;
//   - exactly the flits granted by their output and accepted by their input leave: per (output, VC)
//     the input in turn, per output the VC of highest priority except one declined at the edge
//     before last, per input the VC of highest priority;
//   - idle() is true exactly when nothing is inside or on an output.
// Errors: std::runtime_error with the broken rule, without cycle and seed (the driver adds them).
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "switch/mesh/mesh_shape.h"
#include "switch/switch_core.h"

namespace fredsim::tb {

// Output port of a flit for `dst` entering router (x, y) by port `in`; -1 where there is none.
int expected_output(const MeshShape& shape, int x, int y, int in, std::uint16_t dst,
                    const MeshRings& rings = {});

class RouterRules {
 public:
  RouterRules(const MeshShape& shape, int x, int y, const MeshRings& rings);

  void set_depth(int port, int vc, int flits);  // writes kCredit + 4 * port + vc

  // After core.step(pins): inputs and outputs of that step.
  void check(const SwitchPins& pins, bool idle);

  bool empty() const { return inside_ == 0; }  // nothing between the pins
  int credits(int port, int vc) const { return outputs_[port][vc].credits; }
  int depth(int port, int vc) const { return outputs_[port][vc].depth; }

  struct Stalls {
    std::uint64_t credit = 0, arbiter = 0, link = 0;
    friend bool operator==(const Stalls&, const Stalls&) = default;
  };
  const Stalls& stalls() const { return stalls_; }
  const std::vector<std::uint64_t>& flits_in() const { return flits_in_; }
  const std::vector<std::uint64_t>& flits_out() const { return flits_out_; }

 private:
  using Flit = std::vector<std::uint32_t>;
  struct Input {
    std::deque<Flit> flits;
    bool begun = false;
    int route = -1;  // route of the packet that has begun
  };
  struct Output {
    int credits = 0;
    int depth = 0;
    int owner = -1;         // input port whose packet is open
    int next = 0;           // round robin: first in turn
    bool declined = false;  // granted at the previous edge, but not accepted
  };
  struct HolFlit {
    int in, vc, out;
    bool start, has_credit, asks, due, leaves;
  };
  struct Sent {  // a flit that has left its buffer
    int out;
    Flit flit;
  };

  int rank(int vc) const;
  int packet_start_credits(int in, int out, int vc) const;
  std::vector<HolFlit> hol_flits(const SwitchPins& pins) const;
  void decide(std::vector<HolFlit>& hol_flits);
  void check_leaving(const SwitchPins& pins, std::vector<HolFlit>& hol_flits) const;
  void check_outputs(const SwitchPins& pins) const;
  void count_stalls(const SwitchPins& pins, const std::vector<HolFlit>& hol_flits);
  void advance(const SwitchPins& pins, const std::vector<HolFlit>& hol_flits);

  MeshShape shape_;
  int x_, y_;
  MeshRings rings_;
  int words_;
  std::vector<std::array<Input, kNumVcs>> inputs_;
  std::vector<std::array<Output, kNumVcs>> outputs_;
  Stalls stalls_;
  std::vector<std::uint64_t> flits_in_, flits_out_;
  std::vector<std::pair<int, Flit>> sampled_;  // input, flit: at the previous edge
  std::array<std::vector<Sent>, 2> sent_;      // at the previous edge, and one edge earlier
  int inside_ = 0;
};

}  // namespace fredsim::tb
