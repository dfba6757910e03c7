// SPDX-License-Identifier: Apache-2.0
// Allocation of phases to the rows of the switches' phase stores. A phase is identified by its rows
// (PhaseRows); it has one index, the same in all of its switches and in its packets.
//
// acquire() gives a list of phases an index each and holds them; phases that are stored already are
//   used as they are (a hit), others take a free index or else the index of phases that nobody
//   holds, least recently used first (an eviction). All or nothing: it returns false and changes
//   nothing if held phases are in the way.
// An index may be written as soon as nobody holds it: no packet of it is in the switches then, and
//   a switch whose active phase it is rereads it (rtl/phased/phased_control.sv).
// Errors: BadInput for phases that do not fit although nobody holds any.
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
