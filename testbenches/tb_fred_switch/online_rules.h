// SPDX-License-Identifier: Apache-2.0
// Rules of online unicasts, written from the contracts in rtl/phased/phased_matcher.sv and
// rtl/common/vc_allocator.sv: requests, grants, moves.
//
// Use: once per clock edge judge(), then advance() with the result of judge().
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "phase_rules.h"
#include "switch_view.h"

namespace fredsim::tb {

class OnlineRules {
 public:
  explicit OnlineRules(const TestedSwitch& shape);
  void set_route(int input, int destination, int output) { routes_[{input, destination}] = output; }

  struct Edge {
    std::vector<Entry> entries;  // one input and one output each
    std::uint64_t credit = 0, arbiter = 0;
    std::map<std::pair<int, int>, int> turns;  // (output, VC) whose turn advances: to this input
    std::set<int> resting;                     // inputs that skip the next edge
    bool contention = false;  // several inputs requested one output, and a phase moves
    bool dropped = false;     // one of two grants that would collide
  };
  // `taken`: inputs and outputs that the phase uses at this edge.
  Edge judge(const SwitchView& view, const PhaseRules& phase,
             const std::vector<Entry>& taken) const;
  void advance(const Edge& edge, SwitchView& view);

 private:
  struct Request {
    int input, vc, output;
    bool start;
  };
  std::vector<Request> requests(const SwitchView& view, const PhaseRules& phase, Edge& edge) const;
  Request grant(const std::vector<Request>& requests) const;
  bool conflict(const Request& a, const Request& b) const;
  bool is_online(const SwitchView& view, int input, int vc) const;

  int ports_, middle_, levels_;
  VcOrder first_to_last_;
  std::map<std::pair<int, int>, int> routes_;        // input, destination -> output
  std::vector<std::array<int, kNumVcs>> output_of_;  // (input, VC) inside a packet; -1: none
  std::vector<std::array<int, kNumVcs>> next_;  // (output, VC): the input that is first in turn
  std::map<int, int> streaming_;  // input -> VC of the flit that left at the last edge, unless a
                                  // tail
  std::set<int> resting_;
  int first_ = 0;  // output whose grant is never dropped
  std::uint32_t dice_ = 1;
};

}  // namespace fredsim::tb
