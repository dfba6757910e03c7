// SPDX-License-Identifier: Apache-2.0
// Rules of the adders that an aggregator's flows share, written from the contracts in
// rtl/aggregator: assignment of adders, flits held back meanwhile, completion of a sum.
//
// Use: once per clock edge show(), then advance() with the fires and changes at it. For a switch of
//   another kind nothing is held back or added.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <vector>

#include "phase.h"
#include "switch_view.h"

namespace fredsim::tb {

class SumRules {
 public:
  explicit SumRules(const TestedSwitch& shape) : adders_(shape.adders()) {}
  void add_phase(const Phase& phase) { phases_.push_back(phase); }

  // True if a flow's flits are added here.
  bool adds(std::uint32_t inputs) const;
  // Marks the inputs and outputs that are blocked at the next edge.
  void show(SwitchView& view) const;
  struct Done {  // at the staging
    std::uint32_t outputs = 0;
    FlitHeader flit;
  };
  struct Fired {
    std::uint32_t inputs = 0;
    FlitHeader flit;  // flit of the lowest input
  };
  // `change`: to this phase.
  std::vector<Done> advance(const std::vector<Fired>& fired, std::optional<int> change);
  bool is_idle() const { return flits_.empty() && !pending_ && edge_ > taken_ + 2; }

 private:
  struct Flit {
    int flow;
    Flow ports;
    FlitHeader flit;
    long fired;
    std::optional<long> last;  // edge of its last operand, once it has an adder
  };
  const std::vector<Flow>& flows() const { return phases_[static_cast<std::size_t>(phase_)].flows; }
  int waiting(int flow) const;
  bool being_added(const Flit& flit) const { return !flit.last || *flit.last >= edge_; }
  bool drained() const;
  void give_adders();

  int adders_;
  std::vector<Phase> phases_;
  int phase_ = -1;  // phase of the table
  std::optional<int> pending_;
  long edge_ = 1;           // the one to come
  long taken_ = -2;         // edge
  std::deque<Flit> flits_;  // not at the staging yet, oldest first
  std::set<int> served_;    // flows that have had an adder in this round
};

}  // namespace fredsim::tb
