// SPDX-License-Identifier: Apache-2.0
// Places of phases with rows in the switches' phase stores. A phase is known by its rows (PhaseRows); it has one index,
// the same in all of its switches, as its packets name it.
//
// acquire() gives a list of phases an index each and holds them; those that are there already are used as they are (a
//   hit), others take a free index or, where there is none, that of phases which nobody holds, the least recently used
//   first (an eviction). All or nothing: false, with nothing changed, where what is held by others is in the way.
// An index may be written as soon as nobody holds it: no packet of it is in the switches then, and a switch whose active
//   phase it is reads it anew (rtl/phased/phased_control.sv).
// Errors: BadInput for phases that do not fit although nobody holds anything.
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
  std::uint64_t used = 0;  // when it was last acquired or given back, in such events
  bool loaded = false;     // set by whoever writes the rows
};

class RowStore {
 public:
  // `limit`: rows that are used of every store, at most; 0: all there are.
  explicit RowStore(const Topology& topology, int limit = 0);

  struct Acquired {
    std::vector<StoredPhase*> phases;  // as asked for; valid until released
    std::vector<StoredPhase*> to_load;
    int hits = 0, evictions = 0;
  };
  bool acquire(std::span<const PhaseRows> phases, Acquired& result, bool may_evict = true);
  void release(std::span<StoredPhase* const> phases);
  // Nobody holds a phase, and yet they do not fit: BadInput.
  [[noreturn]] void refuse(std::span<const PhaseRows> phases) const;
  bool is_held() const;  // any of them
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
  std::vector<std::vector<StoredPhase*>> slots_;  // by node: by index, null: free
  std::uint64_t events_ = 0;
};

}  // namespace fredsim
