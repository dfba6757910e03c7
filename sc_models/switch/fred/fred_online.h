// Online routing of unicasts in a FredTwin: the C++ side of rtl/fred/fred_online.sv, which states the rules,
// the latency and the fairness.
//
// Shapes: port masks have bit p for port p; arrays by front have index 4p + v for VC v of input p.
// Timing: route() decides one clock edge by the state before it; commit() then moves the registers on.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/flit.h"
#include "routing/fred_routing.h"

namespace fredsim {

class FredOnline {
 public:
  using Ports = std::uint32_t;
  using PortsByVc = std::array<Ports, kNumVcs>;
  using Paths = std::array<std::uint8_t, 32>;  // FredRow

  // What the phase in use does at the same edge.
  struct PhaseMoves {
    Ports popped = 0, reserved = 0;  // inputs and outputs of the flits it fires
    Ports held = 0;  // outputs of its flows that were inside a packet before the edge
    int vc = 0;
    const Paths& in_path;
    const Paths& out_path;
  };
  struct Move {
    int input = 0, output = 0, vc = 0;
  };

  explicit FredOnline(const FredSwitchShape& shape);

  void reset();
  // fronts: inputs whose front of a VC is an online unicast, at least one; destination: of all fronts;
  // room: outputs whose staging has room for a packet. The result is valid until the next call.
  std::span<const Move> route(const PortsByVc& fronts, std::span<const std::uint16_t> destination,
                              const PortsByVc& room, const PhaseMoves& phase);
  // A move of the last route() is done; `tail`: its flit was the last one of its packet.
  void commit(const Move& move, bool tail);

  // Outputs at which a packet is open.
  const PortsByVc& locked() const { return locked_; }
  // Of the last route(): fronts that stayed for want of room, for another reason; one without a route.
  int stall_credit() const { return stall_credit_; }
  int stall_arbiter() const { return stall_arbiter_; }
  bool error_route() const { return error_route_; }

  void write_route(int destination, std::uint32_t value) { routes_[destination] = value & 63U; }
  std::uint32_t read_route(int destination) const { return routes_[destination]; }

 private:
  // The middle sub-networks for a flit between two ports that are not busy; -1: none free.
  int find_path(int input, int output) const;

  int ports_, middle_, levels_;
  std::vector<std::uint8_t> routes_;  // 1 + output port; 0: none
  PortsByVc begun_{};                 // inputs inside a packet
  PortsByVc locked_{};
  std::vector<std::uint8_t> output_of_;  // by front: of the packet that has begun
  std::vector<std::uint8_t> pointer_;    // by VC of an output, 4p + v
  int first_ = 0;

  // Of the edge being decided: ports of flits that have a way, and their ways.
  Ports in_busy_ = 0, out_busy_ = 0;
  Paths in_path_{}, out_path_{};
  std::vector<Move> moves_;
  int stall_credit_ = 0, stall_arbiter_ = 0;
  bool error_route_ = false;
};

}  // namespace fredsim
