// SPDX-License-Identifier: Apache-2.0
// Rules of flow join and phase selection, written from the contracts in rtl/phased/phased_join.sv,
// phased_candidates.sv and phased_control.sv.
//
// Use: once per clock edge judge(), then advance() with the result of judge().
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "phase.h"
#include "switch_view.h"

namespace fredsim::tb {

class PhaseRules {
 public:
  explicit PhaseRules(const TestedSwitch& shape);
  void add_phase(const Phase& phase);  // call in the order of the phase store

  struct Lookup {
    int port, vc, phase;
  };
  // The slot that a phase goes to, and the slots whose phases it replaces.
  struct Place {
    int phase, slot;
    std::vector<int> replaced;
  };
  struct Edge {
    std::vector<Entry> entries;  // flows that fire
    std::vector<bool> fired;     // by slot: some flow fired
    // For the counters; held: flits that the interconnect holds back.
    std::uint64_t join = 0, credit = 0, waiting = 0, additions = 0, held = 0;
    std::optional<Lookup> read;   // its row is read at this edge
    std::optional<Lookup> ready;  // checked, and ready
    std::optional<Place> decision;
    bool change = false;                  // change to the phase of the decision, next()
    std::vector<std::vector<bool>> open;  // by slot
  };
  // store_free: no register access to the phase store at this edge.
  Edge judge(const SwitchView& view, bool store_free) const;
  void advance(const Edge& edge);

  // True if a packet of a phase in use is open at an output on a VC.
  bool is_open(int output, int vc) const;
  int next() const { return next_.phase; }
  // Outputs of the control unit after the last edge.
  SwitchPhase shown() const;
  // Nothing in here would change at an edge without flits.
  bool is_idle() const;

 private:
  struct Slot {
    int phase = -1;            // in use; -1: none
    int silent;                // edges without a flit
    int busy = 0;              // edges with one, since the load
    std::vector<bool> open{};  // flows inside a packet
  };
  // Head-of-line flit of (input, vc), if no phase in use takes it.
  const FlitHeader* other(const SwitchView& view, int input, int vc) const;
  std::optional<Lookup> look_up(const SwitchView& view) const;
  bool ready(const SwitchView& view, const Lookup& lookup) const;
  std::optional<Place> decide() const;
  Place place_of(int phase) const;
  bool gives_way(const Slot& slot, int vc) const;
  bool share_something(const Phase& one, const Phase& other) const;
  static bool between_packets(const Slot& slot);
  bool holds_heads(int slot) const;
  void join(const SwitchView& view, int slot, Edge& edge) const;

  int ports_, config_stages_, config_edges_;
  int yield_, quantum_;
  VcOrder first_to_last_;
  std::vector<Phase> phases_;
  std::vector<Slot> slots_;  // one slot per phase in use
  Place next_{0, 0, {}};
  bool decided_ = false;
  int since_load_;  // edges
  // The search: a head-of-line flit whose row was read, and the candidates.
  std::optional<Lookup> read_;
  std::array<std::optional<int>, kNumVcs> candidates_;
  std::array<int, kNumVcs> next_port_{};
  int next_vc_ = 0;
};

}  // namespace fredsim::tb
