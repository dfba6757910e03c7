// SPDX-License-Identifier: Apache-2.0
// Endpoints for the speed comparison: one records the pins of a NIC, one plays them back.
//
// Played back from a reset fabric with the same switches, every switch sees the same inputs in
// every cycle, without NPUs, NICs or SystemC.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "fabric/fabric_core.h"
#include "nic/endpoint_core.h"

namespace fredsim::speed {

// Outputs of one endpoint: edges with outputs, in order.
struct Recording {
  struct Edge {
    std::uint64_t number = 0;  // FabricCore::edge()
    std::uint32_t out_valid = 0;
    std::array<std::uint32_t, kNumVcs> in_credit{};
  };
  std::vector<Edge> edges;
  std::vector<std::uint32_t> words;  // words of the flits, in order of edge and port
};

class Recorder final : public EndpointCore {
 public:
  Recorder(EndpointCore& nic, const FabricCore& core, int lanes)
      : nic_(nic), core_(core), words_(flit_words(lanes)) {}

  void reset() override { nic_.reset(); }
  void set_credits(int port, int vc, int flits) override { nic_.set_credits(port, vc, flits); }
  void step(SwitchPins& pins) override;
  bool idle() const override { return nic_.idle(); }
  bool empty() const override { return nic_.empty(); }
  void describe_waiting(const std::vector<std::string>& peers,
                        std::vector<std::string>& lines) const override {
    nic_.describe_waiting(peers, lines);
  }

  Recording recording;

 private:
  EndpointCore& nic_;
  const FabricCore& core_;
  int words_;
};

class Player final : public EndpointCore {
 public:
  Player(const Recording& recording, const FabricCore& core, int lanes)
      : recording_(recording), core_(core), words_(flit_words(lanes)) {}

  // Edge `from` of the recording is the next edge of the core.
  void play(std::uint64_t from) {
    shift_ = from - core_.edge();
    next_edge_ = next_word_ = 0;
    playing_ = true;
  }
  // Before every tick: wakes the endpoint when its next edge has come.
  void poll() {
    if (due()) wake();
  }
  void reset() override { playing_ = false; }
  void set_credits(int, int, int) override {}
  void step(SwitchPins& pins) override;
  bool idle() const override { return true; }
  bool empty() const override { return true; }
  void describe_waiting(const std::vector<std::string>&, std::vector<std::string>&) const override {
  }

 private:
  bool due() const {
    return playing_ && next_edge_ < recording_.edges.size() &&
           recording_.edges[next_edge_].number == core_.edge() + shift_;
  }

  const Recording& recording_;
  const FabricCore& core_;
  int words_;
  bool playing_ = false;
  std::uint64_t shift_ = 0;
  std::size_t next_edge_ = 0;
  std::size_t next_word_ = 0;
};

}  // namespace fredsim::speed
