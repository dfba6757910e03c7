// SPDX-License-Identifier: Apache-2.0
// Drives one fred_switch implementation through SwitchCore with random packets of random phases and
// with online unicasts, and checks every flit that leaves it.
//
// Random: flows of every phase, packet lengths, payload, gaps between flits, pauses of the links
//   (out_ready) and of the receivers' credit returns. Checked: each packet arrives once at every
//   output of its flow, in order within its flow and VC, never interleaved with another packet of
//   its VC; header as sent, payload = the sum in the order that the routing prescribes; no launch
//   during a pause or without a credit; credits, counters and idle at the end. Errors: every
//   violation throws std::runtime_error with the cycle.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "../stalls.h"
#include "base/random.h"
#include "phase.h"
#include "switch/switch_core.h"
#include "switch_rules.h"
#include "tested_switch.h"

namespace fredsim::tb {

class SwitchDriver {
 public:
  SwitchDriver(const TestedSwitch& shape, std::unique_ptr<SwitchCore> core, const Stalls& stalls,
               std::uint64_t seed);

  // Register access, one clock edge each; traffic goes on meanwhile.
  void write(int address, std::uint32_t value);
  std::uint32_t read(int address);
  std::uint64_t read_counter(int address);

  int add_phase(const Phase& phase);  // programs it; returns its index
  void write_routes();                // all that add_online_packet() uses
  void add_packet(int phase, int flow, int flits);
  // Adds a unicast routed by its destination, one of the destinations at the output.
  void add_online_packet(int input, int output, int vc, int flits);
  // One clock edge with traffic.
  void step();
  // Stalls from now on: chance of a link to pause, delay of credits.
  void set_pause_percent(int percent) { stalls_.pause_percent = percent; }
  void set_return_delay(int cycles) { stalls_.return_delay = cycles; }
  // Steps until everything has arrived; throws after `limit` cycles.
  void drain(std::uint64_t limit);
  // After drain: credits, counters, idle, error register.
  void check_quiet();
  bool delivered() const { return expected_flits_ == delivered_flits_; }
  std::uint64_t cycle() const { return cycle_; }
  std::uint64_t last_delivery() const { return last_delivery_; }
  // Cycle at which the first, the last flit of (phase, flow) left the switch at any output.
  struct Span {
    std::uint64_t first = 0, last = 0, flits = 0;
  };
  const Span& span(int phase, int flow) const { return spans_.at({phase, flow}); }
  const Span& online_span(int input, int output) const {
    return spans_.at({kPhaseOnline, online_flow(input, output)});
  }
  SwitchCore& core() { return *core_; }
  std::unique_ptr<SwitchCore> take_core() { return std::move(core_); }  // last call on the driver
  SwitchPins& pins() { return pins_; }

 private:
  using Words = std::array<std::uint32_t, kMaxFlitWords>;
  struct Packet {
    int phase, flow, flits;  // kPhaseOnline: online_flow()
    int vc;
    std::uint16_t dst;
    Flow ports;
  };
  static int online_flow(int input, int output) { return input * 32 + output; }
  struct OutVc {                        // receiver state of one output and VC
    int credits_out = 0;                // credits the switch has
    std::deque<std::uint64_t> returns;  // cycles at which a slot is given back
    bool open = false;
    std::uint32_t tag = 0;
    int flit = 0;
  };
  struct InVc {
    std::deque<Words> queue;
    int credits = 0;
  };
  [[noreturn]] void fail(const std::string& what) const;
  int receive_depth(int vc) const {
    return stalls_.receive_depth == Stalls::kAsReset ? shape_.buffers.depth(vc)
                                                     : stalls_.receive_depth;
  }
  void send();
  void receive();
  void queue_packet(const Packet& packet);
  int carried_lanes() const {
    return (shape_.lanes + 1) / 2 * 2;
  }  // including the unused half of
     // the last word
  std::uint16_t operand(std::uint32_t tag, int port, int flit, int lane) const;
  void check_flit(int port, const std::uint32_t* words);
  void clock_edge();  // edge of the switch, checked by the rules

  TestedSwitch shape_;
  std::unique_ptr<SwitchCore> core_;
  SwitchRules rules_;
  Stalls stalls_;
  Random random_;
  std::uint64_t seed_;
  SwitchPins pins_;
  int words_;
  std::vector<Phase> phases_;
  std::vector<Packet> packets_;  // index = tag
  std::vector<std::array<InVc, kNumVcs>> in_;
  std::vector<std::array<OutVc, kNumVcs>> out_;
  std::map<std::array<int, 4>, std::deque<std::uint32_t>>
      due_;  // (output, phase, flow, VC) -> tags
  std::map<std::pair<int, int>, Span> spans_;
  std::vector<std::uint64_t> sent_, received_;
  std::uint64_t additions_ = 0;
  std::uint64_t expected_flits_ = 0, delivered_flits_ = 0;
  std::uint64_t cycle_ = 0, last_delivery_ = 0;
  std::uint32_t ready_before_ = 0;  // at the previous edge, when launches were decided
};

// Fred_2(5), or a crossbar or mesh router of 5 ports, with three BF16 lanes, buffers of hardly more
// than a packet, shorter packets and phases that yield sooner than by default (sizes.cmake).
TestedSwitch narrow_shape(int middle = 2);
// Variant of a shape with two phases in use at a time.
TestedSwitch with_two_phases(TestedSwitch shape);
TestedSwitch with_two_adder_stages(TestedSwitch shape);

// Non-default orders of the virtual channels, with control in the middle and at the end; and a
// shape of each, as in the build (sizes.cmake).
inline constexpr std::array<VcOrder, 2> kOtherOrders{
    {{kPp, kControl, kDp, kMp}, {kDp, kPp, kMp, kControl}}};
std::array<TestedSwitch, 2> shapes_of_other_orders();

// A random set of at most `most` disjoint flows that routes on the shape; never empty.
Phase random_phase(const TestedSwitch& shape, int vc, int max, Random& random);

// Packets of random flows of the phases (already added, in this order), among them online unicasts
// between random ports.
void add_random_packets(SwitchDriver& driver, const TestedSwitch& shape,
                        const std::vector<Phase>& phases, int packets, int online_percent,
                        Random& random);

}  // namespace fredsim::tb
