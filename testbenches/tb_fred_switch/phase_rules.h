// Rules of flow join and choice of phase, written from the contracts in rtl/phased/phased_join.sv, phased_candidates.sv and
// phased_control.sv.
//
// Use: once per clock edge judge(), then advance() with what judge() said.
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
  void add_phase(const Phase& phase);  // in the order of the phase store

  struct Lookup {
    int port, vc, phase;
  };
  struct Edge {
    std::vector<Entry> entries;  // flows that fire
    // For the counters; held: flits that the interconnect holds back.
    std::uint64_t join = 0, credit = 0, waiting = 0, additions = 0, held = 0;
    std::optional<Lookup> read;   // its row is read at this edge
    std::optional<Lookup> ready;  // judged, and ready
    std::optional<int> decision;  // phase
    bool change = false;          // to the phase that was decided for, next()
    std::vector<bool> open;
  };
  // store_free: no register access to the phase store at this edge.
  Edge judge(const SwitchView& view, bool store_free) const;
  void advance(const Edge& edge);

  // Outputs at which a packet of the active phase is open, and its VC.
  std::uint32_t open_outputs() const;
  int next() const { return next_; }
  int vc() const { return active_ < 0 ? kMp : phases_[active_].vc; }
  // What the control unit shows after the last edge.
  SwitchPhase shown() const;
  // Nothing in here would change at an edge without flits.
  bool at_rest() const { return !decided_ && since_load_ >= config_edges_ && silent_ == yield_; }

 private:
  // Front of (input, vc) that the active phase cannot take.
  const FlitHeader* other(const SwitchView& view, int input, int vc) const;
  std::optional<Lookup> look_up(const SwitchView& view) const;
  bool ready(const SwitchView& view, const Lookup& lookup) const;
  std::optional<int> decide() const;
  bool between_packets() const;
  void join(const SwitchView& view, Edge& edge) const;

  int ports_, config_stages_, config_edges_;
  int yield_, quantum_;
  VcOrder first_to_last_;
  std::vector<Phase> phases_;
  int active_ = -1, next_ = 0;
  bool decided_ = false;
  int since_load_;          // edges
  int silent_;              // edges without a flit
  int busy_ = 0;            // edges with one, since the load
  std::vector<bool> open_;  // flows of the active phase inside a packet
  // The search: a front whose row was read, and the candidates.
  std::optional<Lookup> read_;
  std::array<std::optional<int>, kNumVcs> candidates_;
  std::array<int, kNumVcs> next_port_{};
  int next_vc_ = 0;
};

}  // namespace fredsim::tb
