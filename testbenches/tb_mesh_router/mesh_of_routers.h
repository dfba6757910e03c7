// SPDX-License-Identifier: Apache-2.0
// A small mesh or torus of routers wired in C++: links with latency, endpoints on local and I/O
// ports.
//
// Endpoints: router (x, y) has its NPU on the local ports and I/O controllers on the I/O ports. An
// NPU sends by the local port of the first hop's direction. Every endpoint port receives at most
// one flit per cycle into a buffer of its own and gives each credit back after a random delay.
// Checks, every flit: it arrives at the endpoint and, for the NPU, at one of its ports; packets of
// one (endpoint port, VC) never mix; packets of one (source endpoint, destination, VC) arrive
// complete, each once, in the order sent. Errors: std::runtime_error with cycle and seed; also when
// nothing has moved for kQuietCycles although flits are left (deadlock).
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "base/random.h"
#include "router_implementations.h"

namespace fredsim::tb {

class MeshOfRouters {
 public:
  static constexpr int kQuietCycles = 1000;
  struct Options {
    int width = 3;
    int height = 2;
    bool torus = false;  // sides of 3 or more are rings
    int link_latency = 5;
    int pause_percent = 0;  // probability per link and cycle
    int return_delay = 0;   // max cycles until an endpoint returns a credit
    std::uint64_t seed = 1;
  };

  MeshOfRouters(const RouterImplementation& implementation, const Options& options);

  // From endpoint `from` (mesh_address) to `to`.
  void add_packet(std::uint16_t from, std::uint16_t to, int vc, int flits);
  void step();
  void drain(std::uint64_t limit);
  void check_quiet() const;

  std::vector<std::uint16_t> endpoints() const;
  std::uint64_t cycle() const { return cycle_; }
  std::uint64_t delivered_flits() const { return delivered_; }

 private:
  using Flit = std::vector<std::uint32_t>;
  struct Packet {
    std::uint16_t from, to;
    int vc, flits;
  };
  template <class T>
  struct Delayed {
    std::uint64_t when;
    T what;
  };
  struct Port {     // a router's port, both directions
    int peer = -1;  // router at the far end, or -1: an endpoint
    int peer_port = 0;
    std::deque<Delayed<Flit>> to_router;
    std::array<std::deque<std::uint64_t>, kNumVcs> credits_to_router;
    // Endpoint side.
    std::array<std::deque<Flit>, kNumVcs> send;
    std::array<int, kNumVcs> send_credits{};
    std::array<std::deque<std::uint64_t>, kNumVcs> credits_to_sender;
    std::array<std::int64_t, kNumVcs> open{-1, -1, -1, -1};  // packet being received
    std::array<int, kNumVcs> flits_seen{};
  };
  struct Router {
    Router(std::unique_ptr<SwitchCore> c, int num_ports, int lanes)
        : core(std::move(c)), pins(num_ports, lanes), ports(static_cast<std::size_t>(num_ports)) {}
    std::unique_ptr<SwitchCore> core;
    SwitchPins pins;
    std::vector<Port> ports;
  };

  [[noreturn]] void fail(const std::string& what) const;
  MeshRings rings() const;
  Router& at(std::uint16_t address);
  void wire(int x, int y);
  void write(Router& router, int address, std::uint32_t value);
  void send_from_endpoints(Router& router);
  void set_inputs(Router& router);
  void take_outputs(int index);
  void receive_at_endpoint(int index, int port, const Flit& flit);

  RouterImplementation implementation_;
  Options options_;
  int ports_, words_;
  Random random_;
  std::vector<Router> routers_;
  std::vector<Packet> packets_;  // index = tag
  std::map<std::tuple<std::uint16_t, std::uint16_t, int>, std::deque<std::uint32_t>> due_;
  std::uint64_t cycle_ = 0, last_move_ = 0;
  std::uint64_t expected_ = 0, delivered_ = 0;
};

}  // namespace fredsim::tb
