// SPDX-License-Identifier: Apache-2.0
// Allocation of phases to the rows of the switches' phase stores. A phase is identified by its rows
// (PhaseRows); it has one index, the same in all of its switches and in its packets.
//
// acquire() assigns an index to each phase of a list and holds the phases. A phase that is stored
//   already keeps its index (a hit); any other takes a free index, or else the least recently used
//   index of a phase that is not held (an eviction). All or nothing: if held phases leave no room,
//   it returns false and changes nothing.
// An index may be rewritten as soon as its phase is not held: no packet of the phase is then in the
//   switches, and a switch in which it is active rereads the row (rtl/phased/phased_control.sv).
// Errors: BadInput for phases that do not fit even if no phase is held.
#pragma once

#include <cstdint>
#include <list>
#include <span>
#include <vector>

#include "base/state_digest.h"
#include "operations/prepared_plan.h"

namespace fredsim {

// One phase in the stores.
struct StoredPhase {
  PhaseRows rows;
  StateDigest identity{0};  // digest of the rows
  int index = 0;
  int holders = 0;
  std::uint64_t used = 0;  // time of the last acquisition or release, counted in such events
  bool loaded = false;     // set by the writer of the rows
};

class RowStore {
 public:
  // `limit`: maximum of used rows in every store; 0: all.
  explicit RowStore(const Topology& topology, int limit = 0);

  struct Acquired {
    std::vector<StoredPhase*> phases;  // order of the request; valid until released
    std::vector<StoredPhase*> to_load;
    int hits = 0, evictions = 0;
  };
  bool acquire(std::span<const PhaseRows> phases, Acquired& result, bool may_evict = true);
  void release(std::span<StoredPhase* const> phases);
  // Throws BadInput: nobody holds a phase, and yet they do not fit.
  [[noreturn]] void refuse(std::span<const PhaseRows> phases) const;
  bool is_held() const;  // a phase is held
  // State that later calls depend on.
  void add_state(StateDigest& digest) const;
  int fewest_rows() const { return fewest_; }  // min of all stores; 0: a switch has none

 private:
  struct Choice {
    int index = -1;
    std::vector<StoredPhase*> evicted;
  };
  StoredPhase* find(const PhaseRows& rows);
  Choice choose(const PhaseRows& rows, const std::vector<std::vector<bool>>& taken) const;
  void evict(const std::vector<Choice>& choices, Acquired& result);
  StoredPhase*& slot(NodeId node, int index) { return slots_[node][index]; }

  const Topology& topology_;
  int fewest_ = 255;
  std::list<StoredPhase> phases_;
  std::vector<std::vector<StoredPhase*>> slots_;  // index: node and index; null: free
  std::uint64_t events_ = 0;
};

}  // namespace fredsim
