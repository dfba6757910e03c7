// SPDX-License-Identifier: Apache-2.0
// Graph colouring behind route_flows: the middle sub-network of every flow, level by level (§5).
//
// Port p of a level is port p / 2 of the sub-networks one level down (that holds for the odd last
// port too), so a flow's ports at depth d are its own ports with the last d bits dropped, whatever
// the colours above. Two flows may therefore share a sub-network at depth d + 1 exactly when their
// ports at depth d + 1 are disjoint: anything else would make them share an edge µSwitch at depth
// d. A set of flows is routable at depth d when it can be split into at most m such classes, each
// of them routable at depth d + 1; at the base (two ports) every set that arrives is routable.
//
// The search is complete over all levels: an outer colouring is given up as soon as one of its
// classes has no colouring further in, and the next one is tried. Colours are interchangeable, so a
// new one is opened only once per step; colourings found per (depth, set) are remembered.
// A dead end gives its reason, a set of flows of which no more can be coloured whatever the other
// flows do, and the search goes back to the latest of them (conflict-directed backjumping). The
// final reason is a subset that has no colouring in itself; it is remembered, and no set that holds
// it is searched again. A search that takes long restarts with the flows first that were most often
// in such reasons, and with twice the budget, so that it ends. Without all this four flows that
// conflict pairwise, found last, cost millions of steps on 32 ports.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "routing/fred_routing.h"

namespace fredsim {

using FlowSet = std::uint32_t;  // bit f = flow f; a switch has at most 32 ports, hence 32 flows

class FlowColouring {
 public:
  using Classes = std::array<FlowSet, kMaxMiddle>;  // flows of each colour

  // `depths` = levels to colour from the outside; fewer than the switch has asks a weaker question.
  FlowColouring(const FredSwitchShape& shape, std::span<const Flow> flows, int depths);

  bool routable(int depth, FlowSet set) { return conflict(depth, set) == 0; }
  // A subset of `set` that is not routable in itself (not necessarily minimal); 0: it is routable.
  FlowSet conflict(int depth, FlowSet set);
  // Flows coloured so far, including colours taken back: the cost of the search.
  std::uint64_t steps() const { return steps_; }
  // The colouring found for a routable set.
  Classes classes(int depth, FlowSet set) const;
  // Ports of a flow at a depth.
  Flow ports_at(int depth, int flow) const { return ports_[depth][flow]; }

 private:
  struct Partial {
    int depth = 0;
    FlowSet rest = 0;
    Classes classes{};
    int used = 0;
  };
  // 0: every flow is coloured; otherwise the reason for a dead end; no value: the budget of steps
  // ran out before either was known.
  std::optional<FlowSet> extend(Partial& partial);
  int max_constrained(const Partial& partial) const;
  Classes one_each(FlowSet set) const;

  int middle_;
  int depths_;
  std::uint64_t steps_ = 0;
  std::vector<std::uint64_t> budget_;            // [depth]: steps left before a restart
  std::vector<std::vector<int>> weight_;         // [depth][flow]: dead ends it was a reason of
  std::vector<std::vector<Flow>> ports_;         // index: depth and flow
  std::vector<std::vector<FlowSet>> conflicts_;  // [depth][flow]: flows that need another colour
  std::vector<std::unordered_map<FlowSet, Classes>> found_;  // index: depth
  std::vector<std::vector<FlowSet>> failed_;                 // [depth]: reasons
};

// Levels of Fred_m(ports) that are coloured: those with more than two ports.
int coloured_levels(int ports);

}  // namespace fredsim
