// Rules of online unicasts, written from the contract in rtl/fred/fred_online.sv.
//
// Use: once per clock edge judge(), then advance() with what judge() said.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "phase_rules.h"
#include "switch_view.h"

namespace fredsim::tb {

class OnlineRules {
 public:
  explicit OnlineRules(const FredShape& shape);
  void set_route(int destination, int output) { routes_[destination] = output; }

  struct Edge {
    std::vector<Entry> entries;  // one input and one output each
    std::uint64_t credit = 0, arbiter = 0;
    bool refused = false;  // some front found no path
  };
  // `taken`: what the phase sends at this edge.
  Edge judge(const SwitchView& view, const PhaseRules& phase,
             const std::vector<Entry>& taken) const;
  void advance(const Edge& edge, SwitchView& view);

 private:
  struct Request {
    int input, vc, output;
  };
  std::vector<Request> match(const SwitchView& view, const PhaseRules& phase,
                             const std::vector<Entry>& taken, Edge& edge) const;
  std::optional<Entry> path(const Request& request, const std::vector<Entry>& taken) const;

  int ports_, middle_, levels_;
  std::map<int, int> routes_;                        // destination -> output
  std::vector<std::array<int, kNumVcs>> output_of_;  // (input, VC) inside a packet; -1: not
  std::vector<std::array<int, kNumVcs>> next_;  // (output, VC): the input that is first in turn
  int first_ = 0;                               // output that gets its path first
};

}  // namespace fredsim::tb
