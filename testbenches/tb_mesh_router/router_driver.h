// SPDX-License-Identifier: Apache-2.0
// Drives one mesh router through SwitchCore: senders with credits, receivers that return them late,
// links that pause; RouterRules checks every edge.
//
// Time: step() is one edge. Random quantities (gaps of the senders, pauses of the links, delays of
//   credits) come from the seed, which every failure names together with the cycle.
// Errors: std::runtime_error.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "../stalls.h"
#include "base/random.h"
#include "router_implementations.h"
#include "router_rules.h"

namespace fredsim::tb {

class RouterDriver {
 public:
  static constexpr int kX = 2;  // position of the router
  static constexpr int kY = 3;

  RouterDriver(const RouterImplementation& router, const Stalls& stalls, std::uint64_t seed,
               const MeshRings& rings = {});
  // Drives a router that has been in use, after resetting it.
  RouterDriver(const RouterImplementation& router, std::unique_ptr<SwitchCore> core,
               const Stalls& stalls, std::uint64_t seed, const MeshRings& rings = {});

  // Register access, one edge each; traffic goes on meanwhile.
  void write(int address, std::uint32_t value);
  std::uint32_t read(int address);
  std::uint64_t read_counter(int address);
  void set_depth(int port, int vc, int flits);  // receiver's buffer; without traffic

  // Queues a packet at input `in`; its flits have a tag of their own packet and random lanes.
  void add_packet(int in, int vc, std::uint16_t dst, int flits);
  // Queues packets of random length and destination on random (input, VC).
  void add_random_packets(int count);

  void step();
  void drain(std::uint64_t limit);  // until everything has left and every credit is back
  void check_quiet();               // after drain: registers, counters, idle

  bool done() const { return queued_ == 0 && rules_.empty() && pins_.out_valid == 0; }
  std::uint64_t cycle() const { return cycle_; }
  // Cycle number of the edge at which the last flit was launched at an output, and how many were.
  std::uint64_t last_launch(int out) const { return last_launch_[out]; }
  std::uint64_t launched(int out) const { return rules_.flits_out()[out]; }
  std::uint64_t launched(int out, int vc) const { return launched_[out][vc]; }
  SwitchCore& core() { return *core_; }
  std::unique_ptr<SwitchCore> take_core() { return std::move(core_); }  // last call on the driver
  SwitchPins& pins() { return pins_; }
  Stalls& stalls() { return stalls_; }
  const RouterRules& rules() const { return rules_; }
  const MeshShape& shape() const { return shape_; }

 private:
  using Flit = std::vector<std::uint32_t>;
  struct Sender {
    std::deque<Flit> queue;
    int credits = 0;
  };
  [[noreturn]] void fail(const std::string& what) const;
  void send();
  void pause_and_return();
  void receive();

  MeshShape shape_;
  MeshRings rings_;
  std::unique_ptr<SwitchCore> core_;
  Stalls stalls_;
  Random random_;
  std::uint64_t seed_;
  SwitchPins pins_;
  int words_;
  RouterRules rules_;
  std::vector<std::array<Sender, kNumVcs>> senders_;
  std::vector<std::array<std::deque<std::uint64_t>, kNumVcs>> returns_;  // cycles of credits due
  std::vector<std::array<std::uint64_t, kNumVcs>> launched_;
  std::vector<std::uint64_t> last_launch_;
  std::uint64_t queued_ = 0;
  std::uint64_t cycle_ = 0;
  std::uint32_t next_tag_ = 0;
};

}  // namespace fredsim::tb
