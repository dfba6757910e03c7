// SPDX-License-Identifier: Apache-2.0
// The pool of adders of an aggregator in its twin: completion times of sums, and the flits that
// wait for adders. The C++ side of rtl/aggregator/aggregator_interconnect.sv,
// aggregator_scheduler.sv, aggregator_table.sv, which state the rules. Adders are identical, so it
// only counts them.
//
// Shapes: masks over sums have bit f for flow f of the phase, code f + 1 of its row; masks over
// ports bit p for port p.
// State: plain values without cycle numbers; step() does not allocate.
#pragma once

#include <array>
#include <cstdint>

#include "switch/phased/phased_interconnect.h"

namespace fredsim {

class AdderPool final : public PhasedInterconnect {
 public:
  AdderPool(int ports, int adders);

  void reset() override;
  int longest() const override;
  Ports hold() const override { return hold_; }
  Ports closed() const override { return outputs_of(ends_[now_]); }
  Ports in_flight() const override { return outputs_of(fired_ | waiting_ | running_); }
  int in_flight_vc() const override { return vc_; }
  void step(Ports fired, const PhasedRow* change, PhasedOutputs& outputs) override;
  bool idle() const override { return drained() && pending_ == nullptr && loading_ == 0; }
  void add_state(StateDigest& digest) const override;

 private:
  using Sums = std::uint32_t;
  static constexpr unsigned kMaxPorts = 32;
  struct Sum {  // a flow of two or more inputs
    Ports inputs = 0, outputs = 0;
    int operands = 0;
    int waiting = 0;  // flits without an adder yet
    int running = 0;  // flits whose adders have not reached the last operand
  };

  bool drained() const { return (fired_ | waiting_ | running_) == 0; }
  Ports outputs_of(Sums sums) const;
  void start(PhasedOutputs& outputs);
  void give_adder(int flow, PhasedOutputs& outputs);
  void take(const PhasedRow& row);
  void find_held();

  int ports_, adders_;
  std::array<Sum, kMaxPorts> sums_{};
  Ports sum_inputs_ = 0;
  int vc_ = 0;
  int free_ = 0;                    // idle adders
  Sums fired_ = 0;                  // sums that fired at the last edge
  Sums waiting_ = 0, running_ = 0;  // sums with such flits
  Sums served_ = 0;                 // sums that had their turn in this round
  std::array<Sums, kMaxPorts>
      ends_{};  // ring of edges, the next one at now_: sums with a flit whose last operand is added
                // then
  unsigned now_ = 0;
  Ports hold_ = 0;
  const PhasedRow* pending_ = nullptr;
  int loading_ = 0;  // edges until arriving flits use the table
};

}  // namespace fredsim
