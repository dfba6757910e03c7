// Rules of flow join and choice of phase, written from the contract in rtl/fred/fred_control.sv.
//
// Use: once per clock edge judge(), then advance() with what judge() said.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "phase.h"
#include "switch_view.h"

namespace fredsim::tb {

class PhaseRules {
 public:
  explicit PhaseRules(const FredShape& shape);
  void add_phase(const Phase& phase);  // in the order of the phase store

  struct Edge {
    std::vector<Entry> entries;                                      // flows that fire
    std::uint64_t join = 0, credit = 0, waiting = 0, additions = 0;  // for the counters
    bool change = false;
    int next = 0;
    std::array<int, kNumVcs> pointers{};
    std::vector<bool> open;
  };
  Edge judge(const SwitchView& view) const;
  void advance(const Edge& edge);

  // Outputs at which a packet of the active phase is open, and its VC.
  std::uint32_t open_outputs() const;
  int vc() const { return active_ < 0 ? kMp : phases_[active_].vc; }
  // What the control unit shows after the last edge.
  SwitchPhase shown() const;
  // Nothing in here would change at an edge without flits.
  bool at_rest() const { return !loading_ && since_load_ >= stages_ && silent_ == yield_; }

 private:
  // Front of (input, vc) that the active phase cannot take.
  const FlitHeader* other(const SwitchView& view, int input, int vc) const;
  int candidate(const SwitchView& view, int vc) const;  // its input port; -1: none
  bool ready(const SwitchView& view, int phase) const;
  void choose(const SwitchView& view, Edge& edge) const;
  void join(const SwitchView& view, Edge& edge) const;

  int ports_, stages_;
  int yield_, quantum_;
  std::vector<Phase> phases_;
  int active_ = -1, next_ = 0;
  bool loading_ = false;
  int since_load_;          // edges
  int silent_;              // edges without a flit
  int busy_ = 0;            // edges with one, since the load
  std::vector<bool> open_;  // flows of the active phase inside a packet
  std::array<int, kNumVcs> pointers_{};
};

}  // namespace fredsim::tb
