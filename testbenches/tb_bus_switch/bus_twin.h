// SPDX-License-Identifier: Apache-2.0
// The `tlm` implementation of a bus_switch: a C++ twin of bus_switch.sv, equal to it in every
// output, register and counter at every edge. For its behaviour see the contracts there and in
// bus_arbiter.sv.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/vc_order.h"
#include "bus_peek.h"
#include "switch/switch_core.h"

namespace fredsim {

class BusTwin final : public SwitchCore {
 public:
  explicit BusTwin(const SwitchShape& shape);  // a shape accepted by SwitchKind::check()

  void reset() override;
  void step(SwitchPins& pins) override;
  bool idle() const override;
  std::uint32_t error() const override { return error_; }
  std::string_view model() const override { return "tlm"; }
  int launch_edges() const override { return BusPeek::kLaunchEdges; }
  bool peek_counters(SwitchCounters& into) const override;

 private:
  static constexpr int kNoOutput = -1;
  struct Queue {          // the buffer of one (VC, input port): a ring of slots
    int base = 0;         // first of its slots
    int depth = 0;        // slots
    int first = 0;        // its head-of-line flit, from `base`
    int flits = 0;        // flits that have not left
    int used = 0;         // slots: one is free an edge after its flit has left
    bool popped = false;  // a flit left at the previous edge
  };
  struct Pin {  // an input: the pin register and the entry of the routing table
    bool valid = false;
    int out = kNoOutput;
    std::vector<std::uint32_t> flit;
  };
  struct Moving {  // a flit between its buffer and an output register
    int out = kNoOutput;
    std::vector<std::uint32_t> flit;
  };
  struct Grant {  // owner of the bus at an edge
    int input = 0, vc = 0;
    bool any = false;
  };
  struct Stalls {
    std::uint64_t credit = 0, arbiter = 0;
    std::uint32_t link = 0;  // outputs
  };

  Grant arbitrate(std::uint32_t ready);
  void count(const SwitchPins& pins);
  void note_errors();
  void store(int port);
  void sample(int port, const SwitchPins& pins);
  void pop(const Grant& grant);
  void settle_credits(const SwitchPins& pins, const Grant& grant);
  void write(std::uint16_t address, std::uint32_t data);
  std::uint32_t read(std::uint16_t address) const;
  std::uint64_t counter(std::uint16_t address) const;

  Queue& queue(int vc, int port) { return queues_[vc * ports_ + port]; }
  static int slot(const Queue& q, int flit) { return q.base + (q.first + flit) % q.depth; }

  int ports_, words_, packet_flits_;
  std::array<int, kNumVcs> depth_;
  VcOrder order_;

  std::vector<std::uint8_t> routes_;  // by destination, as written: 1 + output port. No reset
  std::vector<Pin> pins_;             // by input
  std::vector<Queue> queues_;
  std::vector<std::uint32_t> flits_;    // by slot
  std::vector<int> outs_;               // by slot
  std::vector<std::uint16_t> credits_;  // 4 * port + VC
  std::array<int, kNumVcs> open_;       // input whose packet is open; -1: none
  std::array<int, kNumVcs> turn_;
  Moving reading_, on_bus_;
  std::uint32_t out_valid_;
  Stalls stalls_;  // stalls of the previous edge, not counted yet
  bool overflow_;  // at the previous edge
  std::uint32_t error_, rdata_;
  SwitchCounters counters_;
};

}  // namespace fredsim
