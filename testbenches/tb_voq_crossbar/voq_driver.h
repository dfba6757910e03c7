// SPDX-License-Identifier: Apache-2.0
// Drives one voq_crossbar implementation through SwitchCore with packets between its ports, and
// checks every flit that leaves it against the contract in rtl/voq_crossbar/voq_crossbar.sv.
//
// Random: payload, gaps between flits, pauses of the links (out_ready) and of the receivers' credit
//   returns.
// Checked: each packet arrives once, at its output, in order of (input, VC, output), whole, never
//   interleaved with another packet of its VC; header and payload as sent; no launch during a pause
//   or without a credit; credits, counters and idle at the end. Errors: every violation throws
//   std::runtime_error with the cycle.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "../stalls.h"
#include "base/random.h"
#include "switch/switch_core.h"
#include "switch/switch_shape.h"

namespace fredsim::tb {

class VoqDriver {
 public:
  VoqDriver(const SwitchShape& shape, std::unique_ptr<SwitchCore> core, const Stalls& stalls,
            std::uint64_t seed);

  // Register access, one clock edge each; traffic goes on meanwhile.
  void write(int address, std::uint32_t value);
  std::uint32_t read(int address);
  std::uint64_t read_counter(int address);

  // Queues packets of an input, sent in this order on their VC.
  void add_packet(int input, int output, int vc, int flits);
  void add_random_packets(int packets);
  // One clock edge with traffic.
  void step();
  // Steps until everything has arrived; throws after `limit` cycles.
  void drain(std::uint64_t limit);
  // After drain: credits, counters, idle, error register.
  void check_quiet();

  void set_pause_percent(int percent) { stalls_.pause_percent = percent; }
  void set_return_delay(int cycles) { stalls_.return_delay = cycles; }
  std::uint64_t cycle() const { return cycle_; }
  std::uint64_t last_delivery() const { return last_delivery_; }
  // Cycle at which the last flit from an input left the switch, on any output and VC.
  std::uint64_t last_delivery_from(int input) const { return last_from_.at(input); }
  std::uint64_t last_delivery_on(int vc) const { return last_on_.at(vc); }
  SwitchCore& core() { return *core_; }
  SwitchPins& pins() { return pins_; }

 private:
  using Words = std::array<std::uint32_t, kMaxFlitWords>;
  struct Packet {
    int input = 0, output = 0, vc = 0, flits = 0;
    std::uint16_t dst = 0;
  };
  struct InVc {
    std::deque<Words> queue;
    int credits = 0;
  };
  struct OutVc {  // a VC of the receiver
    int credits = 0;
    std::deque<std::uint64_t> returns;  // cycles at which a slot is given back
    bool open = false;
    std::uint32_t tag = 0;
    int flit = 0;
  };
  [[noreturn]] void fail(const std::string& what) const;
  void write_routes();
  void send();
  void receive();
  void check_flit(int port, const std::uint32_t* words);
  void check_idle_credits();
  std::uint32_t payload(std::uint32_t tag, int flit, int word) const;

  SwitchShape shape_;
  int ports_, words_, packet_flits_;
  std::unique_ptr<SwitchCore> core_;
  Stalls stalls_;
  Random random_;
  std::uint64_t seed_;
  SwitchPins pins_;
  std::vector<Packet> packets_;  // index = tag
  std::vector<std::array<InVc, kNumVcs>> in_;
  std::vector<std::array<OutVc, kNumVcs>> out_;
  std::map<std::array<int, 3>, std::deque<std::uint32_t>> due_;  // (input, output, VC) -> tags
  std::vector<std::uint64_t> sent_, received_, last_from_;
  std::array<std::uint64_t, kNumVcs> last_on_{};
  std::uint64_t expected_ = 0, delivered_ = 0;
  std::uint64_t cycle_ = 0, last_delivery_ = 0;
  std::uint32_t ready_before_ = 0;  // at the previous edge, when launches were decided
};

int buffer_depth(const SwitchShape& shape, int vc);
// A voq_crossbar with these parameters, as voq_shape({{"P", 4}}).
SwitchShape voq_shape(const std::vector<NamedValue>& values);
// Narrow size of the build: 5 ports, three lanes, buffers of hardly more than a packet, one round
// (sizes.cmake).
SwitchShape narrow_shape();

}  // namespace fredsim::tb
