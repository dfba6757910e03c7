// SPDX-License-Identifier: Apache-2.0
// Rules for the flits that leave at an edge, from the contract of rtl/phased/phased_matcher.sv,
// without its order of choice.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "routing/fred_routing.h"
#include "switch/phased/phased_matcher.h"

namespace tb {

class MatcherRules {
 public:
  explicit MatcherRules(const fredsim::FredSwitchShape& shape);
  // One edge: empty, or the rule that is broken.
  std::string edge(const fredsim::PhasedMatcher::HolFlits& hol_flits,
                   const fredsim::PhasedMatcher::Phase& phase,
                   std::span<const fredsim::PhasedMatcher::Move> moves);
  int stall_credit() const { return credit_; }  // stalls at the last edge
  int stall_arbiter() const { return arbiter_; }

 private:
  std::string move(const fredsim::PhasedMatcher::HolFlits& hol_flits,
                   const fredsim::PhasedMatcher::Phase& phase,
                   const fredsim::PhasedMatcher::Move& move);

  fredsim::FredSwitchShape shape_;
  bool alone_;                 // no online flit beside the phase's
  std::vector<int> owner_;     // by (output, VC): input whose packet is open, or -1
  std::vector<int> going_to_;  // by (input, VC): output of the packet it is inside of, or -1
  fredsim::PhasedMatcher::Ports in_ = 0, out_ = 0;
  bool had_phase_ = false;  // at the last edge, after which inputs may skip a cycle
  int credit_ = 0, arbiter_ = 0;
};

}  // namespace tb
