// SPDX-License-Identifier: Apache-2.0
// Random traffic through a bus_switch, checked against its contract (bus_switch.sv) at every edge.
//
// Checked: every flit leaves once, unchanged, by the port given by the routing table, in the order
//   of its (input, VC), packets whole and not interleaved within a VC; one flit per edge, to a link
//   that was ready two edges before, with a credit, a packet start with credits for the longest
//   packet; the slot's credit comes back two edges before the flit is out; idle() exactly while
//   nothing is inside; at the end all credits are back and flits are counted right.
// Errors: std::runtime_error with the broken rule, step and seed.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "base/random.h"
#include "switch/switch_core.h"
#include "switch/switch_shape.h"

namespace fredsim::tb {

class BusBench {
 public:
  // `stalls`: senders, links and returning credits pause at random; without it there are no pauses.
  BusBench(SwitchCore& core, const SwitchShape& shape, std::uint64_t seed, bool stalls);

  void run(int steps);  // steps of traffic, then until all flits have left
  // Packets that have left, by input.
  const std::vector<std::uint64_t>& packets() const { return packets_; }

 private:
  using Flit = std::vector<std::uint32_t>;
  struct Input {                // one VC
    int credits = 0;            // credits of the sender
    int left = 0;               // flits of its packet that are still to be sent
    std::uint16_t dst = 0;      // destination of that packet
    std::deque<Flit> inside{};  // flits inside the switch
  };
  struct Output {               // one VC
    int owed = 0;               // credits that the receiver will give back
    std::array<int, 4> room{};  // credits after this step and the last three
    bool open = false;
  };
  struct Launch {  // one step: the link was ready, and whose slot was freed
    std::uint32_t ready = 0;
    int input = -1, vc = -1;
  };

  void write(std::uint16_t address, std::uint32_t data);
  void step(bool sends);
  void send(int port, bool may_start);
  void receive();
  void take(int port, const Launch& launch);
  [[noreturn]] void broken(const char* rule) const;
  bool chance(int percent) { return static_cast<int>(random_.below(100)) < percent; }
  Input& input(int port, int vc) { return inputs_[port * kNumVcs + vc]; }
  Output& output(int port, int vc) { return outputs_[port * kNumVcs + vc]; }

  SwitchCore& core_;
  int ports_, words_, packet_flits_;
  std::array<int, kNumVcs> depth_;
  std::uint64_t seed_;
  bool stalls_;
  Random random_;
  SwitchPins pins_;
  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  std::array<Launch, 3> launches_{};  // launches of this step and the last two
  std::vector<std::uint64_t> packets_, in_, out_;
  std::uint64_t inside_ = 0, steps_ = 0;
};

}  // namespace fredsim::tb
