// SPDX-License-Identifier: Apache-2.0
// Minimal 5 x 4 mesh with lean links and sources, for measuring the speed of router
// implementations; idle nodes cost nothing, as in the fabric.
//
// Traffic: every NPU starts a one-flit packet on VC DP with the given probability per cycle, to
//   another NPU at random; an NPU without a credit waits. Links between routers take kLatency
//   cycles, links of NPUs one.
// Counts: link_hops() flits that crossed a link between routers; launches() flits that left a
//   router, to another router or to an NPU.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "router_implementations.h"

namespace fredsim::tb {

class SpeedMesh {
 public:
  static constexpr int kWidth = 5;
  static constexpr int kHeight = 4;
  static constexpr int kLatency = 3;

  // `rate`: flits per NPU and cycle, below saturation.
  SpeedMesh(SwitchModel model, double rate, std::uint64_t seed);

  void run(int cycles);
  std::uint64_t link_hops() const { return flits_out(0, kFirstLocal); }
  std::uint64_t launches() const { return flits_out(0, ports_); }

 private:
  static constexpr int kNodes = kWidth * kHeight;
  static constexpr int kSlots = 4;        // slots of the wheel of arrivals, more than kLatency
  static constexpr int kDraws = 1 << 12;  // cycles until the random traffic repeats
  static constexpr int kWords = flit_words(1);
  struct Place {  // a router's port
    std::uint32_t node = 0;
    std::uint32_t port = 0;   // as a mask
    std::uint32_t first = 0;  // index of its first word among the words of all ports
  };
  struct ArrivingFlit {
    Place at;
    std::array<std::uint32_t, kWords> words;
  };
  // Arrivals in a cycle, at whichever router, in one list each: few loops, with many turns, whose
  // ends the processor need not guess for every router anew. A fixed size: an element per port and
  // router.
  struct Arrivals {
    std::vector<ArrivingFlit> flits;
    std::vector<Place> credits;
    std::size_t num_flits = 0, num_credits = 0;
  };
  struct Router {
    std::unique_ptr<SwitchCore> core;
    std::array<Place, kFirstLocal> peers;  // over the links
    SwitchPins pins{1, 1};
    std::array<int, 4> credits{};  // credits of the NPU, per local port
    std::uint16_t waiting = 0;     // destination + 1 of a flit without a credit
  };
  struct Draw {
    int cycle = 0;  // modulo kDraws
    int node = 0;
    std::uint16_t to = 0;  // destination + 1
  };

  std::uint64_t flits_out(int first_port, int end_port) const;
  void send(int node);
  void arrive();
  void step(int node);

  int ports_ = 0;
  std::vector<Router> routers_;
  std::array<Arrivals, kSlots> wheel_;
  std::vector<Draw> draws_;  // by cycle
  std::size_t next_draw_ = 0;
  std::uint32_t busy_ = 0;     // mask of nodes to step: not idle, or a flit arrives
  std::uint32_t senders_ = 0;  // mask of nodes with a waiting flit
  int cycle_ = 0;
};

}  // namespace fredsim::tb
