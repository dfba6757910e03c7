// SPDX-License-Identifier: Apache-2.0
// The search for candidates of a PhasedTwin: the C++ side of rtl/phased/phased_candidates.sv, which
// states the rules.
//
// Shapes: port masks have bit p for port p.
// Timing: read() is the lookup in progress before an edge; advance() is the edge.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "base/flit.h"
#include "base/state_digest.h"
#include "switch/phased/phased_row.h"

namespace fredsim {

class PhasedCandidates {
 public:
  using Ports = std::uint32_t;
  using PortsByVc = std::array<Ports, kNumVcs>;
  using Row = std::shared_ptr<const PhasedRow>;

  struct HolFlit {
    int port = -1, vc = 0;
  };
  struct Read {  // a head-of-line flit whose row has been read
    bool valid = false;
    int port = 0, vc = 0, phase = 0;
  };

  explicit PhasedCandidates(int ports);

  void reset();
  const Read& read() const { return read_; }
  // Next head-of-line flit to look up; port -1: none. `waiting`: inputs with a head-of-line flit of
  // another phase than the active one.
  HolFlit choose(const PortsByVc& waiting) const;
  // `ready`: the row that was read, if it may fire; it is kept, whatever is written to the store.
  // `next`: the lookup that begins at this edge.
  void advance(const Row& ready, const Read& next);
  // Called when a phase has been loaded.
  void clear();

  bool none() const { return candidates_ == 0; }
  bool has(int vc) const { return (candidates_ >> vc & 1U) != 0; }
  int phase(int vc) const { return phase_[vc]; }
  const Row& row(int vc) const { return rows_[vc]; }
  void add_state(StateDigest& digest) const;

 private:
  int ports_;
  Read read_;
  std::uint32_t candidates_ = 0;  // VCs with a candidate
  std::array<int, kNumVcs> phase_{};
  std::array<Row, kNumVcs> rows_;
  std::array<int, kNumVcs> pointer_{};  // port with priority
  int next_vc_ = 0;                     // VC with priority
};

}  // namespace fredsim
